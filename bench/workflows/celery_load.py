"""Loads Celery: reads one load as JSON from each line of its input, and answers with a line of figures.

One thread starts the workflows: starting is faster than running them by far, and the interpreter runs one thread at a time anyway. Ends are
seen where Celery itself waits for them: the result of the last task is published when it is stored.
"""
import json
import socket
import statistics
import sys
import time
import uuid

import redis
from celery import chain, group

import celery_app as tasks

WIDTH, LENGTH = 1000, 40
EXPECTED = {"dag": 6, "chain": LENGTH, "fan": WIDTH}
connection = redis.Redis.from_url(tasks.redis)


def start(shape, last_id, tell_port=None):
    last = {"task_id": last_id}
    begin = tasks.first.si(last_id, tell_port)
    if shape == "dag":
        branches = group(tasks.following.s(), tasks.following.s(), tasks.following.s())
        flow = chain(begin, branches, tasks.join.s().set(**last))
    elif shape == "chain":
        steps = [tasks.following.s() for _ in range(LENGTH - 2)]
        flow = chain(begin, *steps, tasks.following.s().set(**last))
    else:
        flow = chain(begin, group(tasks.item.s() for _ in range(WIDTH)), tasks.join.s().set(**last))
    flow.apply_async()


class Watch:
    """Ids of the last tasks whose results were published."""

    def __init__(self):
        self.pubsub = connection.pubsub()
        self.pubsub.psubscribe("celery-task-meta-*")
        self.pubsub.get_message(timeout=5)

    def wait(self, ids):
        left = set(ids)
        while left:
            message = self.pubsub.get_message(ignore_subscribe_messages=True, timeout=60)
            if message is None:
                raise RuntimeError(f"{len(left)} workflows did not end")
            left.discard(message["channel"].decode().removeprefix("celery-task-meta-"))

    def close(self):
        self.pubsub.close()


def check(shape, last_id):
    result = json.loads(connection.get("celery-task-meta-" + last_id))["result"]["n"]
    if result != EXPECTED[shape]:
        raise RuntimeError(f"the result of {shape} is {result}")


def throughput(load):
    ids = [str(uuid.uuid4()) for _ in range(load["dags"])]
    watch = Watch()
    accepted = []
    started_at = time.perf_counter()
    for last_id in ids:
        at = time.perf_counter()
        start("dag", last_id)
        accepted.append((time.perf_counter() - at) * 1000)
    start_seconds = time.perf_counter() - started_at
    watch.wait(ids)
    seconds = time.perf_counter() - started_at
    watch.close()
    for last_id in ids[-10:]:
        check("dag", last_id)
    return {
        "dags": len(ids) / seconds,
        "starts": len(ids) / start_seconds,
        "acceptedUnderLoad": statistics.median(accepted),
    }


def latency(load):
    shape = load["shape"]
    ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    ear.bind(("127.0.0.1", 0))
    whole, accepted, running = [], [], []
    watch = Watch()
    for _ in range(load["repeats"]):
        time.sleep(0.02)
        last_id = str(uuid.uuid4())
        started_at = time.perf_counter()
        start(shape, last_id, ear.getsockname()[1])
        accepted.append((time.perf_counter() - started_at) * 1000)
        ear.recv(100)
        running.append((time.perf_counter() - started_at) * 1000)
        watch.wait([last_id])
        whole.append((time.perf_counter() - started_at) * 1000)
        check(shape, last_id)
    watch.close()
    ear.close()
    median = statistics.median
    return {shape: median(whole), "accepted": median(accepted), "running": median(running)}


while not tasks.app.control.ping(timeout=0.5):
    pass
print("ready for loads", flush=True)
for line in sys.stdin:
    load = json.loads(line)
    print("figures " + json.dumps(throughput(load) if load["kind"] == "throughput" else latency(load)), flush=True)
