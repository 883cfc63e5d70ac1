/**
 * Type declarations of the hooks in `@jest/globals` that the adapters use. Vitest has the same, with more parameters.
 *
 * @module
 */

/** Runs a function before the tests of a file or a `describe` block. */
export declare function beforeAll(run: () => Promise<void>): void;

/** Runs a function after each test of a file or a `describe` block. */
export declare function afterEach(run: () => void): void;

/** Runs a function after the tests of a file or a `describe` block. */
export declare function afterAll(run: () => void): void;
