import assert from "node:assert/strict";
import { nounsOf, phraseOf, plainName, singularOf, wordsOf } from "../../../lib/names/words.ts";

Deno.test("plainName() removes case and separators", () => {
  for (const name of ["pet_id", "petId", "PetID", "pet-id", "pet.id"]) assert.equal(plainName(name), "petid");
});

const WORDS: Readonly<Record<string, readonly string[]>> = {
  "api keys": ["apiKeys", "api-keys", "api_keys", "Api Keys", "APIKeys", "API_KEYS", "api.keys", "$api[keys]"],
  "pet ids": ["petIDs", "PetIDs", "pet_ids"],
  "http server id": ["HTTPServerID", "httpServerId"],
  "urls of pets": ["URLsOfPets", "urlsOfPets"],
  line1: ["line1", "Line1", "LINE1"],
  "line1 text": ["line1Text", "line1_text"],
  "größe in cm": ["größeInCm", "größe_in_cm"],
  "": ["", "---"],
};

for (const [want, names] of Object.entries(WORDS)) {
  Deno.test(`phraseOf() is ${JSON.stringify(want)} for ${names.join(", ")}`, () => {
    for (const name of names) assert.equal(phraseOf(name), want, name);
  });
}

Deno.test("wordsOf() lists the words", () => assert.deepEqual(wordsOf("createdAt"), ["created", "at"]));

Deno.test("wordsOf() takes linear time", () => {
  for (const text of ["A", "a", "As", "aB", "_", "1"]) wordsOf(text.repeat(200_000));
});

Deno.test("singularOf() gives the singular of English plurals", () => {
  const words = {
    pets: "pet",
    companies: "company",
    addresses: "address",
    boxes: "box",
    statuses: "status",
    status: "status",
    people: "person",
    gas: "gas",
  };
  for (const [plural, singular] of Object.entries(words)) assert.equal(singularOf(plural), singular);
});

Deno.test("nounsOf() lists the names of one item, the most exact first", () => {
  assert.deepEqual(nounsOf("service-accounts"), ["serviceaccount", "serviceaccounts", "account"]);
  assert.deepEqual(nounsOf("---"), []);
});
