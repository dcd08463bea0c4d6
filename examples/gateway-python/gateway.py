# A complete codemode gateway on Python's standard library: it speaks the NATS text protocol over a socket.
# NATS_URL=nats://127.0.0.1:4222 CODEMODE_TENANT=default python3 gateway.py ../cells/parallel.js
import hashlib, heapq, itertools, json, os, pathlib, socket, sys, time, urllib.parse, uuid

URL = urllib.parse.urlsplit(os.environ.get("NATS_URL", "nats://127.0.0.1:4222"))
TENANT = os.environ.get("CODEMODE_TENANT", "default")
TRIES = 40  # of two seconds each, until something that nobody answers is given up

class Nats:
    """One connection. All work is done inside pump(), so there are no threads."""
    def __init__(self):
        self.subs, self.timers, self.answers, self.count = [], [], {}, itertools.count()
        self.inbox = f"_INBOX.{TENANT}.{uuid.uuid4().hex}"  # below a prefix of the tenant's own
        self.subs.append((self.inbox + ".*", lambda subject, *answer: self.answers.update({subject: answer})))

    def connect(self):
        login = {"verbose": False, "headers": True, "no_responders": True, "lang": "python", "version": "1",
                 "user": urllib.parse.unquote(URL.username or ""), "pass": urllib.parse.unquote(URL.password or "")}
        while True:
            try:
                self.sock, self.buffer = socket.create_connection((URL.hostname, URL.port or 4222), timeout=5), b""
                lines = ["CONNECT " + json.dumps(login)] + [f"SUB {s[0]} {sid}" for sid, s in enumerate(self.subs)]
                return self.sock.sendall("".join(line + "\r\n" for line in lines).encode())
            except OSError as error:
                print(f"{URL.hostname}: {error}, trying again", file=sys.stderr)
                time.sleep(0.25)

    def publish(self, subject, body=b"", reply="", msg_id=""):
        head = b"NATS/1.0\r\n" + (f"Nats-Msg-Id: {msg_id}\r\n".encode() if msg_id else b"") + b"\r\n"
        try:
            self.sock.sendall(f"HPUB {subject} {reply} {len(head)} {len(head + body)}\r\n".encode() + head + body + b"\r\n")
        except OSError:
            self.connect()  # the message may be lost: whoever needs it asks again

    def request(self, subject, body=b"", msg_id=""):
        """Gives (reply subject, status, body) of the answer, or None after 2 seconds. Status 0 is a normal message."""
        inbox = f"{self.inbox}.{next(self.count)}"
        self.publish(subject, body, inbox, msg_id)
        self.pump(lambda: inbox in self.answers, 2)
        return self.answers.pop(inbox, None)

    def store(self, subject, body, msg_id=""):
        """Publishes to a stream until the server confirms it; the message id makes one message of all tries."""
        for _ in range(TRIES):
            answer = self.request(subject, body, msg_id)
            if answer and answer[1] == 0:
                error = json.loads(answer[2]).get("error")
                if not error or error["err_code"] == 10077 and "per subject" in error["description"]:
                    return  # stored, now or before: the first result of a call counts
                if error["code"] < 500:
                    break
            self.pump(lambda: False, 0.2)
        sys.exit(f"cannot store {subject}: {answer}")

    def pump(self, done, seconds):
        """Handles what comes, and timers that are due, until done() or the time is over."""
        end = time.monotonic() + seconds
        while not done() and (now := time.monotonic()) < end:
            if self.timers and self.timers[0][0] <= now:
                heapq.heappop(self.timers)[2]()
                continue
            try:
                self.sock.settimeout(min([end] + [timer[0] for timer in self.timers]) - now)
                if not (data := self.sock.recv(65536)):
                    raise ConnectionError("closed by the server")
                self.buffer += data
                while self.frame():
                    pass
            except OSError as error:
                if not isinstance(error, TimeoutError):
                    self.connect()

    def frame(self):
        """Takes one complete frame out of the buffer and handles it; false where there is none."""
        line, found, rest = self.buffer.partition(b"\r\n")
        word, *args = line.decode(errors="replace").split(" ")
        size = int(args[-1]) + 2 if found and word in ("MSG", "HMSG") else 0
        if not found or len(rest) < size:
            return False
        self.buffer = rest[size:]
        if word == "PING":
            self.sock.sendall(b"PONG\r\n")
        elif word == "-ERR":
            print("server:", *args, file=sys.stderr)
        elif size:  # MSG subject sid [reply] size, or HMSG subject sid [reply] size-of-headers whole-size
            heads = int(args[-2]) if word == "HMSG" else 0
            status = rest[:heads].split(b"\r\n")[0].split(b" ")[1:2]  # of "NATS/1.0 404 Message Not Found"
            reply = args[2] if len(args) == (5 if heads else 4) else ""
            self.subs[int(args[1])][1](args[0], reply, int(status[0]) if status else 0, rest[heads:size - 2])
        return True

def tool(name, value):
    """Gives a tool's value and the seconds it takes. A real gateway has its policy, approvals and tools here."""
    if name == "weather":
        return {"city": value["city"], "celsius": {"Oslo": 4, "Rome": 18, "Lima": 21}[value["city"]]}, 0
    if name == "report":
        return {"topic": value["topic"], "pages": 3}, 1.5
    if value["amount"] > 100:
        raise ValueError("the limit is 100")
    return {"charged": value["amount"]}, 0

nats, run_id, calls, replies = Nats(), "cm_" + uuid.uuid4().hex, {}, {}
run = f"cm.run.{TENANT}.{run_id}"
show = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode

def on_call(_, inbox, status, body):
    call = json.loads(body)
    if call["callId"] not in calls:  # a call that comes again is answered again, but not executed again
        try:
            value, seconds = tool(call["toolName"], call["input"])
            answer = {"ok": True, "value": value}
        except Exception as error:
            answer, seconds = {"ok": False, "error": {"message": str(error)}}, 0
        data = show({"v": 1, "callId": call["callId"], **answer}).encode()
        calls[call["callId"]] = b"" if seconds else data  # an empty answer accepts the call; its result is stored later
        if seconds:
            store = lambda: nats.store(f"{run}.result.{call['callId']}", data, f"{run}.result.{call['callId']}")
            heapq.heappush(nats.timers, (time.monotonic() + seconds, next(nats.count), store))
    nats.publish(inbox, calls[call["callId"]])

def job(kind, **fields):
    """Publishes a job, prints the output in its reply and gives the result."""
    job_id = uuid.uuid4().hex
    body = {"v": 1, "runId": run_id, "jobId": job_id, "scope": {"sessionId": "example"}, **fields}
    nats.store(f"cm.job.{kind}.{TENANT}", show(body).encode(), f"{TENANT}.{run_id}.{job_id}")
    reply = f"{run}.reply.{job_id}"
    for _ in range(TRIES):
        nats.pump(lambda: reply in replies, 2)
        if reply not in replies and (stored := nats.request("$JS.API.DIRECT.GET.CM_RUNS." + reply)) and stored[1] == 0:
            replies[reply] = stored[2]  # it had come while the connection was down
        if reply in replies:
            for item in (result := json.loads(replies[reply])["result"])["output"]:  # only what earlier replies of the run did not have
                print(item["text"] if item["type"] == "text" else show(item["value"]), flush=True)
            return result
    sys.exit("no worker answered")

nats.subs += [(run + ".call.*", on_call), (run + ".reply.*", lambda subject, _, status, body: replies.update({subject: body}))]
nats.connect()
catalog = pathlib.Path(__file__).resolve().parent.with_name("cells").joinpath("catalog.json").read_bytes()
ref = hashlib.sha256(catalog).hexdigest()
nats.store(f"$KV.CM_CATALOGS.{TENANT}.{ref}", catalog)
cell = {"code": pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")}
result = job("exec", input=cell, catalog={"ref": ref}, config={"enabled": True, "timeoutMs": 1000})
while result["status"] == "waiting":
    print("waiting for", *(call["callId"] for call in result["pendingToolCalls"]), file=sys.stderr, flush=True)
    result = job("wait")
if result["status"] == "failed":
    sys.exit(f"failed: {result['detail']}: {result['error']}")
print("=>", show(result["value"]))
