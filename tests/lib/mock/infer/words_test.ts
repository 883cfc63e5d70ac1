import assert from "node:assert/strict";
import { nounsOf, plainName, singularOf, wordsOf } from "../../../../lib/mock/infer/words.ts";

Deno.test("plainName() removes case and separators", () => {
  for (const name of ["pet_id", "petId", "PetID", "pet-id", "pet.id"]) assert.equal(plainName(name), "petid");
});

Deno.test("wordsOf() splits names of every spelling", () => {
  for (const name of ["apiKeys", "api-keys", "api_keys", "Api Keys"]) assert.deepEqual(wordsOf(name), ["api", "keys"]);
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
