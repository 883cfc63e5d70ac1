import assert from "node:assert/strict";
import { type BudgetedJournal, JournalBudget } from "../../../../lib/mock/journal/budget.ts";
import { DEFAULT_JOURNAL_LIMITS } from "../../../../lib/mock/journal/limits.ts";
import { createSlot, type Slot } from "../../../../lib/mock/journal/slot.ts";

Deno.test("a thousand journals stay within the limit of memory with few measurements", () => {
  const bytes = 1_000_000;
  const budget = new JournalBudget({ ...DEFAULT_JOURNAL_LIMITS, bytes }, undefined);
  let visits = 0;
  const journals = Array.from({ length: 1000 }, () => {
    let slots: Slot[] = Array.from({ length: 10 }, () => ({ ...createSlot(), bytes: 101 }));
    const journal: BudgetedJournal = {
      slots: () => {
        visits++;
        return slots;
      },
      dropHalf: () => {
        slots = slots.slice(Math.ceil(slots.length / 2));
      },
      closeListeners: () => {},
    };
    return journal;
  });
  for (const journal of journals) budget.open(journal);
  budget.add(bytes + 1);
  assert.ok(visits < 20 * journals.length, `${visits} visits`);
  assert.ok(budget.measure() > bytes * 3 / 4, "no more is dropped than needed");
});
