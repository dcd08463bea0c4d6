package daemon

import (
	"context"
	"fmt"
	"os"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"codemode/cmd/worker/internal/config"
)

// readIdentity reads who the worker is for the server, and how it knows the server. What is wrong with a
// file shows here and not at the server's door.
func (d *daemon) readIdentity(context.Context) error {
	var faults config.Faults
	add := func(name string, file config.File, want string, opt nats.Option, err error) {
		if err == nil {
			scratch := nats.GetDefaultOptions()
			err = opt(&scratch)
		}
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s is %q: want %s: %s", name, file, want, plain(err)))
			return
		}
		d.identity = append(d.identity, opt)
	}
	c := &d.Config
	if c.NATSCreds != "" {
		add("CODEMODE_NATS_CREDS", c.NATSCreds, "a file with a JWT and a user's seed", nats.UserCredentials(string(c.NATSCreds)), checkCredentials(c.NATSCreds))
	}
	if c.NATSNKey != "" {
		opt, err := nats.NkeyOptionFromSeed(string(c.NATSNKey))
		add("CODEMODE_NATS_NKEY", c.NATSNKey, "a file with a user's seed", opt, err)
	}
	if c.NATSUser != "" {
		d.identity = append(d.identity, nats.UserInfo(c.NATSUser, c.NATSPassword))
	}
	if c.NATSToken != "" {
		d.identity = append(d.identity, nats.Token(c.NATSToken))
	}
	if c.NATSCA != "" {
		add("CODEMODE_NATS_CA", c.NATSCA, "a PEM file of certificates", nats.RootCAs(string(c.NATSCA)), nil)
	}
	if c.NATSCert != "" {
		add("CODEMODE_NATS_CERT", c.NATSCert, "a PEM file of a certificate whose key is in CODEMODE_NATS_KEY", nats.ClientCert(string(c.NATSCert), string(c.NATSKey)), nil)
	}
	if len(faults) > 0 {
		return faults
	}
	return nil
}

// checkCredentials reads the file once; the client does so at every connect.
func checkCredentials(file config.File) error {
	data, err := os.ReadFile(string(file))
	if err != nil {
		return err
	}
	if _, err := nkeys.ParseDecoratedJWT(data); err != nil {
		return err
	}
	seed, err := nkeys.ParseDecoratedUserNKey(data)
	if err != nil {
		return err
	}
	seed.Wipe()
	return nil
}
