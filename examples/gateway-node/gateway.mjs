// A complete codemode gateway on the public NATS client packages.
// npm ci && NATS_URL=nats://127.0.0.1:4222 CODEMODE_TENANT=default node gateway.mjs ../cells/parallel.js
import { createHash, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, headers, RequestError } from "@nats-io/transport-node";
import { jetstream, JetStreamApiError } from "@nats-io/jetstream";

const url = new URL(process.env.NATS_URL ?? "nats://127.0.0.1:4222");
const tenant = process.env.CODEMODE_TENANT ?? "default";
const tries = 40; // of two seconds each, until something that nobody answers is given up
const callReserve = 8192; // bytes that a result has to stay below the server's payload limit

const nc = await connect({
  servers: url.host,
  user: decodeURIComponent(url.username) || undefined,
  pass: decodeURIComponent(url.password) || undefined,
  inboxPrefix: `_INBOX.${tenant}`, // of the tenant's own
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
});
const js = jetstream(nc);

// Publishes to a stream until the server confirms it; the message id makes one message of all tries.
async function store(subject, data, msgID) {
  let last;
  for (let i = 0; i < tries; i++) {
    try {
      return await js.publish(subject, data, { msgID, timeout: 2000 });
    } catch (error) {
      last = error;
      if (error instanceof JetStreamApiError) {
        const { code, err_code, description } = error.apiError();
        if (err_code === 10077 && description.includes("per subject")) return; // the first result of a call counts
        if (code < 500) break;
      }
      await sleep(200);
    }
  }
  throw new Error(`cannot store ${subject}: ${last.message}`, { cause: last });
}

// The tools give a value, or a promise of one. A real gateway has its policy and approvals here.
const tools = {
  weather({ city }) {
    const celsius = { Oslo: 4, Rome: 18, Lima: 21 }[city];
    if (celsius === undefined) throw new Error("unknown city");
    return { city, celsius };
  },
  async report({ topic }) {
    await sleep(1500);
    return { topic, pages: 3 };
  },
  charge({ amount }) {
    if (amount > 100) throw new Error("the limit is 100");
    return { charged: amount };
  },
};

const runId = `cm_${randomUUID()}`;
const run = `cm.run.${tenant}.${runId}`;
const calls = new Map(); // answers by callId: a call that comes again is answered again, but not executed again
const replies = new Map(); // by job id; each a function until the reply is there

function encode(callId, answer) {
  const data = JSON.stringify({ v: 1, callId, ...answer });
  if (Buffer.byteLength(data) <= (nc.info?.max_payload ?? 1 << 20) - callReserve) return data;
  return JSON.stringify({ v: 1, callId, ok: false, error: { message: "code mode tool result is too large." } });
}

async function execute({ callId, toolName, input }) {
  try {
    return encode(callId, { ok: true, value: (await tools[toolName](input)) ?? null });
  } catch (error) {
    return encode(callId, { ok: false, error: { message: error.message } });
  }
}

async function onCall(msg) {
  const call = msg.json();
  const again = calls.has(call.callId);
  if (!again) calls.set(call.callId, execute(call));
  const soon = await Promise.race([calls.get(call.callId), sleep(200)]);
  msg.respond(soon ?? ""); // an empty answer accepts the call; its result is stored later
  if (soon !== undefined || again) return;
  const subject = `${run}.result.${call.callId}`;
  await store(subject, await calls.get(call.callId), subject);
}

function fatal(error) {
  console.error(error.message);
  process.exit(1);
}

nc.subscribe(`${run}.call.*`, { callback: (error, msg) => (error ? fatal(error) : onCall(msg).catch(fatal)) });
nc.subscribe(`${run}.reply.*`, {
  callback: (error, msg) => (error ? fatal(error) : replies.get(msg.subject.split(".").at(-1))?.(msg.json())),
});

// Reads a reply that came while the connection was down.
async function missed(jobId) {
  try {
    const msg = await nc.request(`$JS.API.DIRECT.GET.CM_RUNS.${run}.reply.${jobId}`, "", { timeout: 2000 });
    return msg.headers?.code ? undefined : msg.json(); // 404: there is none yet
  } catch (error) {
    if (error instanceof RequestError || error.name === "TimeoutError") return undefined;
    throw error;
  }
}

// Publishes a job and gives the result in its reply.
async function job(kind, fields) {
  const jobId = randomUUID();
  const live = new Promise((resolve) => replies.set(jobId, resolve));
  const data = JSON.stringify({ v: 1, runId, jobId, scope: { sessionId: "example" }, ...fields });
  await store(`cm.job.${kind}.${tenant}`, data, `${tenant}.${runId}.${jobId}`);
  for (let i = 0; i < tries; i++) {
    const reply = (await Promise.race([live, sleep(2000)])) ?? (await missed(jobId));
    if (reply) return reply.result;
  }
  throw new Error("no worker answered");
}

const catalog = await readFile(new URL("../cells/catalog.json", import.meta.url));
const ref = createHash("sha256").update(catalog).digest("hex");
await store(`$KV.CM_CATALOGS.${tenant}.${ref}`, catalog);

const code = await readFile(process.argv[2], "utf8");
let result = await job("exec", { input: { code }, catalog: { ref }, config: { enabled: true, timeoutMs: 1000 } });
for (;;) {
  for (const item of result.output) console.log(item.type === "text" ? item.text : JSON.stringify(item.value));
  if (result.status !== "waiting") break;
  console.error("waiting for", ...result.pendingToolCalls.map((call) => call.callId));
  result = await job("wait");
}
if (result.status === "failed") {
  console.error(`failed: ${result.detail}: ${result.error}`);
  process.exitCode = 1;
} else {
  console.log("=>", JSON.stringify(result.value));
}
await nc.drain();
process.exit(); // timers of tools whose answers nobody needs any more are not waited for
