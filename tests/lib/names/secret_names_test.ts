import assert from "node:assert/strict";
import { createCompanionTest, isSecretName } from "../../../lib/names/secret_names.ts";

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
    ...["id_token_hint", "password_hint", "creds", "user_code", "sas"],
    "secret_answer",
    "pwd_reset",
    "passwordReset",
    "one_time_code",
    "oneTimeCode",
    "oauth_verifier",
    "X-Shopify-Hmac",
    "SecretString",
    "secretBinary",
    "APITokens",
    "cvv2Code",
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
    "country_code",
    "zip_code",
    "postalCode",
    "currencyCode",
    "state",
    "code",
    "assertion",
    "area_code",
    "discountCode",
    "passport_country",
    "design",
    "pinned",
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

const BESIDE: readonly [name: string, value: unknown, beside: string[], isSecret: boolean][] = [
  ["code", "SplxlOBeZQQYbYS6WxSbIA", ["code", "state"], true],
  ["Code", "SplxlOBeZQQYbYS6WxSbIA", ["Code", "State"], true],
  ["code", "123456", ["grant_type", "code"], true],
  ["code", "4/0AX4XfWh", ["code", "redirectUri"], true],
  ["assertion", "PHNhbWxwOl", ["grant_type", "assertion"], true],
  ["code", "94105", ["code", "state"], false],
  ["code", "94105-1234", ["code", "state"], false],
  ["code", "CA", ["code", "state"], false],
  ["code", "SplxlOBeZQQYbYS6WxSbIA", ["code", "limit"], false],
  ["code", 404, ["code", "state"], false],
  ["country_code", "SplxlOBeZQQYbYS6WxSbIA", ["state"], false],
  ["assertion", "must be true", ["assertion", "name"], false],
  ["constructor", "SplxlOBeZQQYbYS6WxSbIA", ["state"], false],
];

for (const [name, value, beside, want] of BESIDE) {
  Deno.test(`createCompanionTest() takes ${name} ${value} beside ${beside} for ${want ? "a secret" : "no secret"}`, () => {
    assert.equal(createCompanionTest(beside)(name, value), want);
  });
}
