"""Routes: brokers register at the name server, and the slave and the consumer query it."""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import is_same, negate
from reference.language.rule import RuleBody, rule, when
from reference.worlds.reading.state import Reading, Routes


@rule(who="master", source="RouteInfoManager#registerBroker")
def list_master(state: Reading) -> RuleBody:
    """The master registers: at its start, and every 30 s (R-NS-01)."""
    # ENABLED WHEN
    yield when(is_master_up=state.master.is_up, is_not_listed=negate(state.routes.is_master_listed))
    # EFFECT
    return evolve(state, routes=evolve(state.routes, is_master_listed=True))


@rule(who="name server", source="RouteInfoManager#onChannelDestroy, #scanNotActiveBroker")
def drop_master(state: Reading) -> RuleBody:
    """The name server drops a master that is gone (R-NS-05)."""
    # ENABLED WHEN
    yield when(is_master_down=negate(state.master.is_up), is_listed=state.routes.is_master_listed)
    # EFFECT
    return evolve(state, routes=evolve(state.routes, is_master_listed=False))


@rule(who="slave", source="RouteInfoManager#registerBroker")
def list_slave(state: Reading) -> RuleBody:
    """The slave registers."""
    # ENABLED WHEN
    yield when(is_slave_up=state.slave.is_up, is_not_listed=negate(state.routes.is_slave_listed))
    # EFFECT
    return evolve(state, routes=evolve(state.routes, is_slave_listed=True))


@rule(who="name server", source="RouteInfoManager#onChannelDestroy, #scanNotActiveBroker")
def drop_slave(state: Reading) -> RuleBody:
    """The name server drops a slave that is gone."""
    # ENABLED WHEN
    yield when(is_slave_down=negate(state.slave.is_up), is_listed=state.routes.is_slave_listed)
    # EFFECT
    return evolve(state, routes=evolve(state.routes, is_slave_listed=False))


@rule(who="slave", source="BrokerController#doRegisterBrokerAll")
def learn_master(state: Reading) -> RuleBody:
    """The slave learns the master's address when it registers, or that no master is listed.

    It takes over the address even if it is null (R-NS-03).
    """
    routes = state.routes
    # ENABLED WHEN
    yield when(
        is_slave_up=state.slave.is_up,
        is_news=negate(is_same(routes.is_master_known, routes.is_master_listed)),
    )
    # EFFECT
    return evolve(state, routes=evolve(routes, is_master_known=routes.is_master_listed))


def see_what_is_listed(routes: Routes) -> Routes:
    """The routes after the consumer has queried the name server."""
    return evolve(
        routes,
        is_master_seen=routes.is_master_listed,
        is_slave_seen=routes.is_slave_listed,
    )


@rule(who="consumer", source="MQClientInstance#updateTopicRouteInfoFromNameServer", weight=8)
def refresh_route(state: Reading) -> RuleBody:
    """The consumer takes over what the name server lists, every 30 s (R-CC-04).

    If nothing is listed any more, the topic has no route, and the consumer keeps the old one
    (R-NS-06).
    """
    routes = state.routes
    # ENABLED WHEN
    yield when(
        is_running=state.consumer.is_running,
        is_any_listed=routes.is_master_listed | routes.is_slave_listed,
    )
    # EFFECT
    return evolve(state, routes=see_what_is_listed(routes))
