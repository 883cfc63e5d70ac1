import assert from "node:assert/strict";
import { isSecretName } from "../../../../lib/mock/secrets/secret_name.ts";

const SECRET = [
  ...["password", "Password", "PASSWORD", "userPassword", "user_password", "user-password", "user.password"],
  ...["password2", "password_confirmation", "passwordHash", "PasswordHash", "passwd", "pwd", "passphrase"],
  ...["api_key", "apiKey", "APIKey", "API-KEY", "apikey", "X-Api-Key", "x-goog-api-key", "api key", "api:key"],
  ...["secret", "client_secret", "clientSecret", "CLIENTSECRET", "aws_secret_access_key", "AccessKey", "secrets"],
  ...["token", "accessToken", "refresh_token", "id-token", "OAuthToken", "X-Amz-Security-Token", "tokens", "csrfToken"],
  ...["authorization", "Proxy-Authorization", "Cookie", "set-cookie", "session", "sessionId", "PHPSESSID", "sid"],
  ...["private_key", "privateKeyPem", "private_key_pem", "ssh_key", "credentials", "jwt", "cvv", "cvv2", "card_pin"],
  ...["Passwort", "contraseña", "CONTRASEÑA", "mot_de_passe", "пароль", "密码", "Ocp-Apim-Subscription-Key", "totp"],
  ...["signature", "X-Amz-Signature", "connectionString", "stringSecretValue", "SECRET_KEY_BASE"],
  ...[
    "auth_token_v2",
    "pinCode",
    "otp_code",
    "Authorisation",
    "sharedSecretKeyBase64",
    "security_answer",
    "recovery_codes",
    "backupCode",
  ],
];
const PUBLIC = [
  ...[
    "name",
    "key",
    "keys",
    "id",
    "username",
    "email",
    "passed",
    "compass",
    "monkey",
    "shopping",
    "spinning",
    "author",
  ],
  ...["tokenType", "token_type", "next_page_token", "nextPageToken", "pageToken", "continuationToken", "secretName"],
  ...["password_updated_at", "has_password_policy", "secretRef", "authMethod", "authority", "signatureAlgorithm", ""],
  ...[
    "sessionCount",
    "keyId",
    "publicKey",
    "max_tokens",
    "input_tokens",
    "cookieConsent",
    "tokenEndpoint",
    "statusCode",
  ],
];

for (const name of SECRET) {
  Deno.test(`isSecretName() takes ${name} for a secret`, () => assert.ok(isSecretName(name)));
}
for (const name of PUBLIC) {
  Deno.test(`isSecretName() takes ${JSON.stringify(name)} for no secret`, () => assert.ok(!isSecretName(name)));
}

Deno.test("isSecretName() accepts numbers only under names of passwords and PINs", () => {
  const numeric = ["pin", "otp", "password", "cvc", "tokens", "session", "api_key"].filter((name) =>
    isSecretName(name, 1234)
  );
  assert.deepEqual(numeric, ["pin", "otp", "password", "cvc"]);
  assert.ok(!isSecretName("password", true));
  assert.ok(!isSecretName("password", null));
});

Deno.test("isSecretName() ignores very long names", () => {
  assert.ok(!isSecretName(`${"a".repeat(1_000_000)}password`));
});
