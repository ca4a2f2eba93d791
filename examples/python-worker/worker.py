#!/usr/bin/env python3
"""A Faultline worker in Python's standard library.

    FAULTLINE_URL=http://127.0.0.1:8080 FAULTLINE_TOKEN=... python3 worker.py

Below the line at the end are the tasks: functions with the decorator @task. Everything above is the protocol.

    claim   POST /api/worker/claim    "give me up to n tasks, I wait for half a minute"
    report  POST /api/worker/report   "these are done, these failed, these still run"; the answer brings the next tasks

A task runs at least once; its result is recorded once. `task.id` with `attempt` is a good idempotency key.
"""

import http.client
import json
import os
import queue
import random
import signal
import socket
import sys
import threading
import time
import traceback
import urllib.parse

TASKS = {}
# The service takes bodies of 1 MiB; the rest is for what surrounds the results.
LARGEST_BODY = 1_000_000
LONGEST_PAUSE = 10.0


def task(function):
    """Offers a function as a task of the same name."""
    TASKS[function.__name__] = function
    return function


class Canceled(Exception):
    """Raised by Context.check() when the task should stop."""


class NotRetryable(Exception):
    """Raise this when trying again would not help."""


class Refused(Exception):
    """The service will not have this worker."""


class Context:
    """What a task is called with."""

    def __init__(self, given, worker):
        self.payload = given["payload"]
        self.previous = given["previous"]
        self.results = given["results"]
        self.instance = given["instance"]
        self.task = {"id": given["id"], "key": given["key"], "attempt": given["attempt"]}
        self.arguments = given.get("with")
        self.item = given.get("item")
        self.index = given.get("index")
        self.hook = given.get("hook")
        self.canceled = threading.Event()
        self._worker = worker

    def log(self, *values):
        self._worker.add_log(self, " ".join(str(value) for value in values))

    def progress(self, fraction):
        self._worker.set_progress(self, fraction)

    def check(self):
        """Call this now and then in long tasks: it raises when the task was canceled or the worker stops."""
        if self.canceled.is_set():
            raise Canceled()

    def sleep(self, seconds):
        """Sleeps, but wakes up and raises when the task should stop."""
        if self.canceled.wait(seconds):
            raise Canceled()


class Service:
    """Two routes, each over a connection of its own that is kept."""

    def __init__(self, url, token):
        self.url = urllib.parse.urlsplit(url)
        self.token = token
        self.connections = {}

    def post(self, path, body, patience=30.0):
        """The answer, or OSError when there is none that is worth reading."""
        data = json.dumps(body).encode()
        headers = {"Authorization": "Bearer " + self.token, "Content-Type": "application/json"}
        connection = self._connection(path, patience)
        try:
            connection.request("POST", self.url.path.rstrip("/") + path, data, headers)
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.connections.pop(path).close()
            raise OSError(str(error) or type(error).__name__) from error
        if response.status == 200:
            return json.loads(text)
        try:
            message = json.loads(text)["message"]
        except (ValueError, KeyError, TypeError):
            message = "no explanation"
        if response.status in (408, 429) or response.status >= 500:
            raise OSError(f"HTTP {response.status}: {message}")
        raise Refused(f"HTTP {response.status}: {message}")

    def _connection(self, path, patience):
        if path not in self.connections:
            kind = http.client.HTTPSConnection if self.url.scheme == "https" else http.client.HTTPConnection
            self.connections[path] = kind(self.url.hostname, self.url.port, timeout=patience)
        connection = self.connections[path]
        connection.timeout = patience
        if connection.sock is not None:
            connection.sock.settimeout(patience)
        return connection

    def hang_up(self, path):
        """Ends a request that another thread is waiting in."""
        connection = self.connections.get(path)
        if connection and connection.sock:
            try:
                connection.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Worker:
    def __init__(self, service, name, concurrency, queues=None, wait_seconds=30):
        self.service = service
        self.name = name
        self.concurrency = concurrency
        self.wait_seconds = wait_seconds
        self.offer = {"worker": name, "tasks": sorted(TASKS), **({"queues": queues} if queues else {})}
        # One lock for all that is shared between the threads; `news` wakes the reporting thread.
        self.news = threading.Condition()
        self.running = {}  # task id -> Context
        self.fractions = {}  # task id -> progress that was not told yet
        self.outcomes = []  # (list of the report, entry)
        self.logs = []
        self.lease_seconds = 10.0
        self.renewed_at = time.monotonic()
        self.stopping = threading.Event()
        self.waiting = queue.SimpleQueue()
        self.refusal = None

    # What tasks call, each in a thread of its own.

    def add_log(self, context, text):
        with self.news:
            # Nothing is said about a task after its end.
            if self.running.get(context.task["id"]) is context:
                entry = {"id": context.task["id"], "attempt": context.task["attempt"], "lines": text.split("\n")}
                self.logs.append(entry)

    def set_progress(self, context, fraction):
        with self.news:
            self.fractions[context.task["id"]] = min(1.0, max(0.0, fraction))

    def work(self):
        while True:
            given, context = self.waiting.get()
            if given is None:
                return
            reference = {"id": given["id"], "attempt": given["attempt"]}
            try:
                result = TASKS[given["run"]](context)
                size = len(json.dumps(result))
                if size > LARGEST_BODY:
                    raise NotRetryable(f"the result is {size} bytes of JSON, more than the {LARGEST_BODY} of a report")
                outcome = ("completed", {**reference, "result": result})
            except Canceled:
                # On shutdown the task goes back; a canceled one is over.
                error = {"message": "the task was canceled"}
                failed = ("failed", {**reference, "error": error, "retryable": False})
                outcome = ("released", reference) if self.stopping.is_set() else failed
            except BaseException as error:  # pylint: disable=broad-except; sys.exit() in a task fails that task only
                message = {"message": str(error) or type(error).__name__, "stack": traceback.format_exc()}
                retryable = not isinstance(error, NotRetryable)
                outcome = ("failed", {**reference, "error": message, "retryable": retryable})
            with self.news:
                # Otherwise it was taken from us meanwhile, and the outcome is of no use.
                if self.running.get(given["id"]) is context:
                    del self.running[given["id"]]
                    self.outcomes.append(outcome)
                    self.news.notify_all()

    # The two conversations with the service.

    def claim(self):
        """Asks for tasks while there is room."""
        failures = 0
        while not self.stopping.is_set():
            with self.news:
                room = self.concurrency - len(self.running)
                if room <= 0:
                    self.news.wait(1.0)
                    continue
            body = {**self.offer, "max": room, "wait_seconds": self.wait_seconds}
            try:
                answer = self.service.post("/api/worker/claim", body, self.wait_seconds + 30.0)
                failures = 0
            except OSError as error:
                if self.stopping.is_set():
                    return
                failures += 1
                self.pause(failures, error)
                continue
            except Refused as error:
                self.refusal = error
                self.stopping.set()
                return
            self.take(answer)

    def report(self):
        """Tells what happened: outcomes at once, log lines and progress soon, renewals every third of a lease."""
        while True:
            with self.news:
                if not self.outcomes:
                    self.news.wait(0.2)
                renewal_is_due = time.monotonic() - self.renewed_at > self.lease_seconds / 3
                if not (self.outcomes or self.logs or self.fractions or (self.running and renewal_is_due)):
                    if self.stopping.is_set() and not self.running:
                        return
                    continue
                body = self.collect(renewal_is_due)
            self.send(body)

    def collect(self, renewal_is_due):
        body = {**self.offer, "completed": [], "failed": [], "released": [], "logs": [], "max": 0}
        size = 0
        # Log lines first, so that nothing is said about a task after its end.
        while self.logs and len(body["logs"]) < 1000 and size < LARGEST_BODY // 2:
            body["logs"].append(self.logs.pop(0))
            size += len(json.dumps(body["logs"][-1]))
        while self.outcomes and not self.logs and sum(map(len, (body["completed"], body["failed"]))) < 500:
            kind, entry = self.outcomes[0]
            size += len(json.dumps(entry))
            if size > LARGEST_BODY and (body["completed"] or body["failed"] or body["logs"]):
                break
            self.outcomes.pop(0)
            body[kind].append(entry)
        fractions, self.fractions = self.fractions, {}
        body["running"] = [
            {**{key: context.task[key] for key in ("id", "attempt")}, **({"progress": fractions[id]} if id in fractions else {})}
            for id, context in self.running.items()
            if renewal_is_due or id in fractions
        ]
        if renewal_is_due:
            self.renewed_at = time.monotonic()
        return body

    def send(self, body):
        """Reports are idempotent: the same one is sent again until the service has taken it."""
        failures = 0
        while True:
            try:
                answer = self.service.post("/api/worker/report", body)
                break
            except OSError as error:
                failures += 1
                if self.stopping.is_set() and failures > 5:
                    print("the last report was not taken:", error, file=sys.stderr)
                    return
                self.pause(failures, error)
            except Refused as error:
                self.refusal = error
                self.stopping.set()
                return
        told = {entry["id"] for kind in ("completed", "failed", "released") for entry in body[kind]}
        for rejected in answer["rejected"]:
            print(f"rejected: {rejected['id']}: {rejected['reason']}", file=sys.stderr)
            with self.news:
                context = None if rejected["id"] in told else self.running.pop(rejected["id"], None)
            if context:
                context.canceled.set()
        self.take(answer)

    def take(self, answer):
        with self.news:
            self.lease_seconds = answer["lease_seconds"]
            if not self.running:
                self.renewed_at = time.monotonic()
            for given in answer["tasks"]:
                if self.stopping.is_set():
                    self.outcomes.append(("released", {"id": given["id"], "attempt": given["attempt"]}))
                    continue
                context = Context(given, self)
                self.running[given["id"]] = context
                self.waiting.put((given, context))
                if given.get("timeout_seconds"):
                    timer = threading.Timer(given["timeout_seconds"], self.time_out, [given, context])
                    timer.daemon = True
                    timer.start()
            for id in answer["canceled"]:
                if id in self.running:
                    self.running[id].canceled.set()
            self.news.notify_all()

    def time_out(self, given, context):
        """A thread cannot be ended from outside: it is told to stop, and what it does from then on is not waited for."""
        with self.news:
            if self.running.get(given["id"]) is not context:
                return
            del self.running[given["id"]]
            error = {"message": f"the task took longer than its time-out of {given['timeout_seconds']} seconds"}
            self.outcomes.append(("failed", {"id": given["id"], "attempt": given["attempt"], "error": error}))
            self.news.notify_all()
        context.canceled.set()

    def pause(self, failures, reason):
        seconds = min(LONGEST_PAUSE, 0.1 * 2 ** min(failures, 10)) * random.uniform(0.5, 1.0)
        print(f"the service does not answer ({reason}); trying again in {seconds:.1f} s", file=sys.stderr)
        time.sleep(seconds)

    # From start to stop.

    def run(self, grace_seconds=10.0):
        """Returns after stop(): running tasks were finished or handed back."""
        for _ in range(self.concurrency):
            threading.Thread(target=self.work, daemon=True).start()
        threading.Thread(target=self.claim, daemon=True).start()
        reporting = threading.Thread(target=self.report, daemon=True)
        reporting.start()
        while not self.stopping.wait(0.5):
            pass
        # A claim that still waits at the service would be given what is handed back now.
        self.service.hang_up("/api/worker/claim")
        with self.news:
            for context in self.running.values():
                context.canceled.set()
        deadline = time.monotonic() + grace_seconds
        while self.running and time.monotonic() < deadline and not self.refusal:
            time.sleep(0.05)
        with self.news:
            for context in self.running.values():
                self.outcomes.append(("released", {key: context.task[key] for key in ("id", "attempt")}))
            self.running.clear()
            self.news.notify_all()
        reporting.join(10.0)
        if self.refusal:
            sys.exit(f"The service refused this worker: {self.refusal}")

    def stop(self, *_):
        self.stopping.set()


def main():
    token = os.environ.get("FAULTLINE_TOKEN")
    if not token:
        sys.exit("Set FAULTLINE_TOKEN to a token with the scope Service.")
    service = Service(os.environ.get("FAULTLINE_URL", "http://127.0.0.1:8080"), token)
    name = os.environ.get("FAULTLINE_WORKER_NAME", f"python:{socket.gethostname()}:{os.getpid()}")
    queues = [part for part in os.environ.get("FAULTLINE_WORKER_QUEUES", "").split(",") if part]
    worker = Worker(service, name, int(os.environ.get("FAULTLINE_WORKER_CONCURRENCY", "10")), queues)
    signal.signal(signal.SIGTERM, worker.stop)
    signal.signal(signal.SIGINT, worker.stop)
    print(f"worker {name}: {', '.join(sorted(TASKS))}", flush=True)
    worker.run(float(os.environ.get("FAULTLINE_WORKER_GRACE", "10")))


# ---------------------------------------------------------------------------------------------------------------------
# Your tasks.


@task
def PY_SUM(context):
    """payload: {"numbers": [1, 2, 3]}"""
    numbers = context.payload.get("numbers", [])
    context.log("adding", len(numbers), "numbers")
    return sum(numbers)


@task
def PY_COUNT(context):
    """Counts slowly, tells how far it is, and stops when it is told to. payload: {"to": 10}"""
    to = context.payload.get("to", 10)
    for number in range(to):
        context.progress(number / to)
        context.sleep(0.1)
    return to


if __name__ == "__main__":
    main()
