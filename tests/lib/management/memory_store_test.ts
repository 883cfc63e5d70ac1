import { createMemoryStore } from "../../../lib/management/memory_store.ts";
import { CASE_TIME, testStore } from "./store_contract.ts";

testStore("the memory store", (test) => test(createMemoryStore(() => CASE_TIME)));
