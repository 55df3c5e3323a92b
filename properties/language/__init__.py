"""The language of claims: properties, fault models, healing, and the worlds that they make up."""
