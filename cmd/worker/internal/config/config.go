// Package config is the worker's configuration: one struct, read from CODEMODE_* variables, checked as a
// whole, and described for -h and docs/configuration.md from the same tags.
package config

import (
	"log/slog"
	"time"

	"codemode/subjects"
)

// Off is the value that switches an optional part off, where its variable allows it.
const Off = "off"

// Config of a worker. Tags: env is the variable, envDefault its default, shown what the table says in place
// of a default that is worked out, allow the bounds of a number or the words that are known, alias another name
// of the variable, secret keeps the value out of messages, help is the table's last column.
type Config struct {
	// NATSURL is where gateways and workers meet. A list lets the client start, and go on, while a server of
	// a cluster is down. Defaults to a server on this machine, which is what one tries first.
	NATSURL ServerURLs `env:"CODEMODE_NATS_URL" envDefault:"nats://127.0.0.1:4222" help:"NATS server, or several of one cluster with commas between"`
	// NATSCreds is how an operator with decentralised users hands out identities; it is read again at every
	// reconnect, so that it can be replaced. Defaults to none.
	NATSCreds File `env:"CODEMODE_NATS_CREDS" help:"credentials file (JWT and seed)"`
	// NATSNKey is a seed in a file and not in the environment, because it never has to leave the machine.
	// Defaults to none.
	NATSNKey File `env:"CODEMODE_NATS_NKEY" help:"file with the seed of an NKey"`
	// NATSUser goes with NATSPassword. Defaults to none, or what the URL holds.
	NATSUser string `env:"CODEMODE_NATS_USER" help:"user name; goes with the password"`
	// NATSPassword is apart from the URL so that the URL can be shown. Defaults to none.
	NATSPassword string `env:"CODEMODE_NATS_PASSWORD" secret:"true" help:"password of the user"`
	// NATSToken is for servers with one shared secret. Defaults to none.
	NATSToken string `env:"CODEMODE_NATS_TOKEN" secret:"true" help:"token, for servers that want one"`
	// NATSCA is for servers whose certificate no public authority has signed. Defaults to the system's authorities.
	NATSCA File `env:"CODEMODE_NATS_CA" shown:"system's" help:"PEM file of the authorities that sign the server's certificate"`
	// NATSCert goes with NATSKey, for servers that want to know their clients by certificate. Defaults to none.
	NATSCert File `env:"CODEMODE_NATS_CERT" help:"PEM file of the client's certificate; goes with the key"`
	// NATSKey goes with NATSCert. Defaults to none.
	NATSKey File `env:"CODEMODE_NATS_KEY" help:"PEM file of the certificate's key"`
	// NATSInbox is a prefix of the workers' own, because who may read another's inbox reads the answers it
	// gets. Defaults to the one that deploy/nats.conf lets workers read.
	NATSInbox InboxPrefix `env:"CODEMODE_NATS_INBOX" envDefault:"_INBOX.worker" help:"prefix of the subjects on which answers come"`

	// Embedded makes the worker bring its own NATS server, for trying out and for single machines. Defaults
	// to false; the flag -embedded does the same.
	Embedded bool `env:"CODEMODE_EMBEDDED" envDefault:"false" help:"run a NATS server in the worker, as -embedded does"`
	// EmbeddedAddr is a loopback address, because the embedded server knows no users. Defaults to the port that
	// NATS clients use by themselves.
	EmbeddedAddr Address `env:"CODEMODE_EMBEDDED_ADDR" envDefault:"127.0.0.1:4222" help:"address of the embedded server; port 0 is a free one"`
	// EmbeddedStore is not in the folder the worker is started in, so that suspended runs are found again
	// from wherever it is started. Defaults to codemode/nats in the user's state folder.
	EmbeddedStore string `env:"CODEMODE_EMBEDDED_STORE" shown:"~/.local/state/codemode/nats" help:"folder in which the embedded server keeps its streams"`

	// HTTPAddr is a loopback address, because metrics are nobody else's business until the operator says so.
	// Defaults to the port that Prometheus has set aside for OpenTelemetry.
	HTTPAddr Address `env:"CODEMODE_HTTP_ADDR" envDefault:"127.0.0.1:9464" off:"true" help:"address of /metrics, /healthz and /readyz; port 0 is a free one"`

	// WorkerID tells replies, events and log lines of workers apart. Defaults to a new one at each start, so
	// that two workers on a machine never share one.
	WorkerID WorkerID `env:"CODEMODE_WORKER_ID" shown:"host name and 6 random digits" help:"name of this worker in replies, events and logs"`
	// SubjectPrefix keeps codemode apart from others on the same account; gateways must use the same.
	// Defaults to that of the protocol.
	SubjectPrefix Prefix `env:"CODEMODE_SUBJECT_PREFIX" envDefault:"cm" help:"first token or tokens of every subject"`
	// Replicas of streams and buckets: three survive the loss of a server. Defaults to 1 for what the worker
	// creates, and to what there is for what exists.
	Replicas int `env:"CODEMODE_REPLICAS" allow:"1 or 3" shown:"1, or what exists" help:"replicas of every stream"`
	// AckWait is how long the cell of a killed worker stands still before another takes it. All workers must
	// have the same. Defaults to 10s: short enough to wait for, long enough for a busy machine.
	AckWait time.Duration `env:"CODEMODE_ACK_WAIT" envDefault:"10s" allow:"1s to 1h" help:"how long the job of a killed worker stands still"`

	// ExecSlots bounds memory: a leg can take what its configuration allows, 64 MiB by default. Defaults to 64.
	ExecSlots int `env:"CODEMODE_EXEC_SLOTS" envDefault:"64" allow:"1 to 16384" help:"exec legs at a time, each with a VM"`
	// WaitSlots is larger than ExecSlots, since most wait legs have no VM. Defaults to 256.
	WaitSlots int `env:"CODEMODE_WAIT_SLOTS" envDefault:"256" allow:"1 to 65536" help:"wait legs at a time, with a VM once there is a result"`
	// SuspendedPerSession keeps one session from filling the store. Defaults to 64.
	SuspendedPerSession int `env:"CODEMODE_SUSPENDED_PER_SESSION" envDefault:"64" allow:"1 to 1000" help:"suspended runs that one session may have"`
	// CatalogCacheBytes saves decoding a catalogue for every cell. Defaults to 256 MiB.
	CatalogCacheBytes int64 `env:"CODEMODE_CATALOG_CACHE_BYTES" envDefault:"268435456" allow:"1048576 to 1099511627776" help:"memory for decoded catalogues"`
	// OutputEvents lets what cells put out be followed live; without it no event holds data of a cell.
	// Defaults to true.
	OutputEvents bool `env:"CODEMODE_OUTPUT_EVENTS" envDefault:"true" help:"publish what cells put out as events"`
	// CacheDir saves compiling the engine at every start, half a second. Nobody else may write to it, since what
	// it holds is executed. Defaults to codemode in the user's cache folder.
	CacheDir string `env:"CODEMODE_CACHE_DIR" shown:"~/.cache/codemode" off:"true" help:"folder for the compiled engine"`

	// LogLevel is the least that is logged. Defaults to info.
	LogLevel string `env:"CODEMODE_LOG_LEVEL" envDefault:"info" allow:"debug, info, warn or error" help:"least level that is logged"`
	// LogFormat is for people or for collectors. Defaults to text.
	LogFormat string `env:"CODEMODE_LOG_FORMAT" envDefault:"text" allow:"text or json" help:"form of log lines"`
	// ShutdownGrace should be less than what the supervisor allows before it kills (30s on Kubernetes).
	// Defaults to 10s, more than a turn takes.
	ShutdownGrace time.Duration `env:"CODEMODE_SHUTDOWN_GRACE" envDefault:"10s" allow:"0s to 1h" help:"how long cells may go on after SIGTERM before their jobs are left to others"`
	// StartTimeout lets a worker start before its server, but not wait for ever for a wrong address. It bounds
	// the connection and the setting up of streams, each. Defaults to 15s.
	StartTimeout time.Duration `env:"CODEMODE_START_TIMEOUT" envDefault:"15s" allow:"1s to 1h" help:"how long to wait for the server at start"`

	// DebugCodeMode shows what a cell was given and how it ended (contract 18). Defaults to false.
	DebugCodeMode bool `env:"CODEMODE_DEBUG_CODE_MODE" alias:"OPENCLAW_DEBUG_CODE_MODE" envDefault:"false" help:"log activation, visible tools, catalogue sizes and each leg's outcome"`
	// DebugTransport shows where time goes between gateway and worker (contract 18). Defaults to false.
	DebugTransport bool `env:"CODEMODE_DEBUG_MODEL_TRANSPORT" alias:"OPENCLAW_DEBUG_MODEL_TRANSPORT" envDefault:"false" help:"log requests and replies by id, status and time"`
	// DebugPayload shows what a model is given (contract 18). Defaults to nothing.
	DebugPayload string `env:"CODEMODE_DEBUG_MODEL_PAYLOAD" alias:"OPENCLAW_DEBUG_MODEL_PAYLOAD" allow:"summary, tools or full-redacted" help:"log the tool definitions a model is given: counts, names, or a copy that may hold prompt text"`
	// DebugEvents shows the events of runs in the log (contract 18). Defaults to none.
	DebugEvents string `env:"CODEMODE_DEBUG_SSE" alias:"OPENCLAW_DEBUG_SSE" allow:"events or peek" help:"log all events of runs, or each run's first five"`
}

// Level is LogLevel as slog has it.
func (c *Config) Level() slog.Level {
	var level slog.Level
	if level.UnmarshalText([]byte(c.LogLevel)) != nil {
		return slog.LevelInfo
	}
	return level
}

// Names builds the subjects below the prefix.
func (c *Config) Names() subjects.Names { return c.SubjectPrefix.names }
