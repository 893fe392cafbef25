/**
 * The certificate and key of the TLS servers in tests. It is self-signed, so a client that should trust it passes it as
 * `ca`. Names: localhost, *.example.test, *.mail.test, 127.0.0.1. Created with
 *
 *   openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj '/CN=Posthorn tests' \
 *     -addext 'subjectAltName=DNS:localhost,DNS:*.example.test,DNS:*.mail.test,IP:127.0.0.1' \
 *     -addext 'basicConstraints=critical,CA:TRUE'
 */
export const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBwzCCAWqgAwIBAgIUUTZfQXTseUQ86EbvQbn30D8hGNEwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOUG9zdGhvcm4gdGVzdHMwIBcNMjYxMTE1MDk1MTIxWhgPMjEy
NjEwMjIwOTUxMjFaMBkxFzAVBgNVBAMMDlBvc3Rob3JuIHRlc3RzMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEXRMjEJqq/yXtXH/veKaleEpMMKSWJeCi+cM16Tq5
T8+QnWfLCQi6K/ENVniM9DFCC9TULnu57bftr0mIW2Rr56OBjTCBijAdBgNVHQ4E
FgQUj41VYoFrZa/guLS9u7eOElNdN8gwHwYDVR0jBBgwFoAUj41VYoFrZa/guLS9
u7eOElNdN8gwNwYDVR0RBDAwLoIJbG9jYWxob3N0gg4qLmV4YW1wbGUudGVzdIIL
Ki5tYWlsLnRlc3SHBH8AAAEwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNH
ADBEAiA82FlBfe0PSC6Nv+NyXsbbfv86qjOYmhIpk3mUlfuiNQIgaQD+SxeSvB2j
BzlaglkXXLFWVO86qbwgb84R3/HtOno=
-----END CERTIFICATE-----
`;

export const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgEAigbmGYdwIBRIlR
OzuGW5klD8fRs6KnuDKMwqCSVVWhRANCAARdEyMQmqr/Je1cf+94pqV4SkwwpJYl
4KL5wzXpOrlPz5CdZ8sJCLor8Q1WeIz0MUIL1NQue7ntt+2vSYhbZGvn
-----END PRIVATE KEY-----
`;
