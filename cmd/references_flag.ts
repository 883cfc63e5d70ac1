/** The flag that widens what definitions may refer to. */
export const REFERENCES_FLAG = {
  description: "Let definitions refer to files outside their project, and those given by URL to other origins.",
} as const;
