"""The tasks of bench/workflows/shapes.ts for Celery: results in Redis, the graph as a canvas."""
import os
import socket

from celery import Celery

redis = f"redis://127.0.0.1:{os.environ['REDIS_PORT']}/0"
app = Celery("bench", broker=redis, backend=redis)
app.conf.update(
    # What is taken is taken again when its worker dies, as with the others.
    task_acks_late=True,
    worker_prefetch_multiplier=4,
    task_track_started=False,
    result_expires=None,
    broker_connection_retry_on_startup=True,
)
voice = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


@app.task
def first(dag, tell_port=None):
    if tell_port is not None:
        voice.sendto(dag.encode(), ("127.0.0.1", tell_port))
    return {"n": 1}


@app.task
def following(previous):
    return {"n": previous["n"] + 1}


@app.task
def item(_previous):
    return {"n": 1}


@app.task
def join(previous):
    return {"n": sum(result["n"] for result in previous)}
