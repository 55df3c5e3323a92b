"""The maker of the table of keys reads setters, kinds and defaults from the text of a class."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.reference.configuration.make_release_keys import (
    Reader,
    Row,
    Source,
    compute,
    render,
)

CONFIG, SIZES, ROLE, STARTUP = (
    "common/Config.java",
    "store/Sizes.java",
    "store/Colour.java",
    "broker/src/main/java/org/apache/rocketmq/broker/BrokerStartup.java",
)
NETTY = "remoting/NettySystemConfig.java"

TEXTS = {
    CONFIG: """
public class Config {
    private static final String NAME = "a;b";
    private int size = 1024 * 1024;
    private long time = 12L * 60;
    private double ratio = 0.8;
    private boolean isLate;
    private boolean early = true;
    private volatile String name = NAME;
    private String path = System.getProperty("user.home") + "/store";
    private String nothing = null;
    private int entries = 300 * Sizes.UNIT;
    private int most = Integer.MAX_VALUE;
    private int threads = 16 + Runtime.getRuntime().availableProcessors() * 2;
    private int buffer = NettySystemConfig.buffer;
    private int tuned = NettySystemConfig.tuned;
    private int listenPort = 0;
    private Colour colour = Colour.RED;
    private Object other;
    public void setSize(final int size) {
        this.size = size;
    }
    public void setTime(long time) {
        this.time = time;
    }
    public void setRatio(double ratio) {
        this.ratio = ratio;
    }
    public void setLate(boolean late) {
        isLate = late;
    }
    public void setEarly(boolean early) {
        this.early = early;
    }
    public void setName(String name) {
        this.name = name;
    }
    public void setPath(String path) {
        this.path = path;
    }
    public void setNothing(String nothing) {
        this.nothing = nothing;
    }
    public void setEntries(int entries) {
        if (entries < 0) {
            this.entries = 0;
            return;
        }
        this.entries = entries;
    }
    public void setMost(int most) {
        this.most = most;
    }
    public void setThreads(int threads) {
        this.threads = threads;
    }
    public void setBuffer(int buffer) {
        this.buffer = buffer;
    }
    public void setTuned(int tuned) {
        this.tuned = tuned;
    }
    public void setListenPort(int listenPort) {
        this.listenPort = listenPort;
    }
    public void setColour(Colour colour) {
        this.colour = colour;
    }
    public void setColour(String colour) {
        this.colour = Colour.valueOf(colour);
    }
    public void setOther(Object other) {
        this.other = other;
    }
    public void setBoth(int one, int other) {
        this.size = one;
    }
    void setHidden(int hidden) {
        this.size = hidden;
    }
    // public void setGone(int gone) {
    //     this.size = gone;
    // }
}
""",
    SIZES: "public class Sizes {\n    public static final int UNIT = 20;\n}\n",
    ROLE: "public enum Colour {\n    RED,\n    GREEN;\n}\n",
    NETTY: """
public class NettySystemConfig {
    public static int buffer = Integer.parseInt(System.getProperty(BUFFER, "65535"));
    public static int tuned = Integer.parseInt(System.getProperty(TUNED, "0"));
}
""",
    STARTUP: "        NettySystemConfig.tuned = 131072;\n",
}

EXPECTED: dict[str, Row] = {
    "size": ["int", 1_048_576],
    "time": ["long", 720],
    "ratio": ["double", 0.8],
    "late": ["boolean", False],
    "early": ["boolean", True],
    "name": ["String", "a;b"],
    "path": ["String", None],
    "nothing": ["String", None],
    "entries": ["int", 6000],
    "most": ["int", 2**31 - 1],
    "threads": ["int", None],
    "buffer": ["int", 65_535],
    "tuned": ["int", 131_072],
    "listenPort": ["int", 10_911],
    "colour": ["choice", "RED", ["RED", "GREEN"]],
}
"""Without keys of which no setter takes what a file can hold."""


def test_keys_of_a_class() -> None:
    """Its public setters of one number, truth value or text, with what their fields begin with."""
    reader = Reader(Source(Path(), "", dict(TEXTS)), dict.fromkeys(TEXTS, "blob"))
    assert EXPECTED == dict(reader.list_keys(CONFIG))


def test_a_table_is_read_back() -> None:
    """Each key has a line of its own."""
    table = {"4.4.0": {"source": "tag", "keys": {"Config": EXPECTED}, "gone": ["a"]}, "4.5.0": {}}
    assert table == json.loads(render(table))
    assert '    "size": ["int", 1048576],' in render(table).splitlines()


@pytest.mark.parametrize("text", ["f()", "a", "1 if 2 else 3"])
def test_only_literals_are_computed(text: str) -> None:
    """Anything else has no value."""
    with pytest.raises(ValueError, match=re.escape(text)):
        compute(text)
