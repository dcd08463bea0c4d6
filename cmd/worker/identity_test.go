package main_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// must is for what cannot fail with the arguments of these tests.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestToken(t *testing.T) {
	t.Parallel()
	url := natsServer(t, &server.Options{JetStream: true, Authorization: "hush"}).ClientURL()
	p := start(t, []string{"CODEMODE_NATS_URL=" + url, "CODEMODE_NATS_TOKEN=hush"})
	p.ready("url")
	if strings.Contains(strings.Join(p.log(), "\n"), "hush") {
		t.Error("the log shows the token")
	}
}

func TestNKey(t *testing.T) {
	t.Parallel()
	user := must(nkeys.CreateUser())
	url := natsServer(t, &server.Options{JetStream: true, Nkeys: []*server.NkeyUser{{Nkey: must(user.PublicKey())}}}).ClientURL()
	start(t, []string{"CODEMODE_NATS_URL=" + url, "CODEMODE_NATS_NKEY=" + write(t, "seed", must(user.Seed()))}).ready("url")
}

func TestCredentialsFile(t *testing.T) {
	t.Parallel()
	operator, account, user := must(nkeys.CreateOperator()), must(nkeys.CreateAccount()), must(nkeys.CreateUser())
	accountID := must(account.PublicKey())
	claims := jwt.NewAccountClaims(accountID)
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: jwt.NoLimit, MemoryStorage: jwt.NoLimit}
	accounts := &server.MemAccResolver{}
	if err := accounts.Store(accountID, must(claims.Encode(operator))); err != nil {
		t.Fatal(err)
	}
	userJWT := must(jwt.NewUserClaims(must(user.PublicKey())).Encode(account))
	url := natsServer(t, &server.Options{
		JetStream: true, TrustedKeys: []string{must(operator.PublicKey())}, AccountResolver: accounts,
		SystemAccount: systemAccount(t, operator, accounts),
	}).ClientURL()
	creds := write(t, "user.creds", must(jwt.FormatUserConfig(userJWT, must(user.Seed()))))
	start(t, []string{"CODEMODE_NATS_URL=" + url, "CODEMODE_NATS_CREDS=" + creds}).ready("url")
}

// systemAccount makes the account that a server with decentralised users needs for itself.
func systemAccount(t *testing.T, operator nkeys.KeyPair, accounts *server.MemAccResolver) string {
	t.Helper()
	id := must(must(nkeys.CreateAccount()).PublicKey())
	if err := accounts.Store(id, must(jwt.NewAccountClaims(id).Encode(operator))); err != nil {
		t.Fatal(err)
	}
	return id
}

func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t)
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	url := natsServer(t, &server.Options{JetStream: true, TLSTimeout: 10, TLSVerify: true, TLSConfig: &tls.Config{
		Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12,
	}}).ClientURL()
	certFile, keyFile := write(t, "cert.pem", cert), write(t, "key.pem", key)
	env := []string{"CODEMODE_NATS_URL=" + url, "CODEMODE_NATS_CERT=" + certFile, "CODEMODE_NATS_KEY=" + keyFile}
	start(t, env).fails(1, "worker: the NATS server at "+url+" cannot be used: tls: failed to verify certificate: "+
		"x509: certificate signed by unknown authority; see CODEMODE_NATS_CA, _CERT and _KEY")
	start(t, append(env, "CODEMODE_NATS_CA="+certFile)).ready("url")
}

// certificate makes one that is its own authority, for servers and clients on this machine.
func certificate(t *testing.T) (cert, key []byte) {
	t.Helper()
	private := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der := must(x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private))
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: must(x509.MarshalECPrivateKey(private))})
}
