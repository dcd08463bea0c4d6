package gateway_test

const roleEnv = "CODEMODE_GATEWAY_TEST_ROLE"

func replicaMain(string) int { return 2 }
