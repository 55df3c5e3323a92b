"""What a recording allows: where numbers may stand, how long steps may take, who may be silent."""
