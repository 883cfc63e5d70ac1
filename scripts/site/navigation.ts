/** Links of the navigation with a common title. */
export interface Group {
  title: string;
  /** Paths of Markdown files in the repository. */
  pages: readonly string[];
}

/** The navigation of the website, grouped by reader. Eleventy's configuration adds files not named here at the end. */
export const NAVIGATION: readonly Group[] = [
  {
    title: "Start",
    pages: ["README.md", "docs/install.md", "docs/container.md", "docs/recipes.md", "docs/migration.md"],
  },
  {
    title: "gw mock",
    pages: [
      "docs/mocking.md",
      "docs/state.md",
      "docs/lists.md",
      "docs/sessions.md",
      "docs/rules.md",
      "docs/journal.md",
      "docs/control.md",
      "docs/console.md",
      "docs/overlays.md",
      "docs/requests.md",
      "docs/paths.md",
      "docs/schemas.md",
    ],
  },
  {
    title: "gw validate, gw proxy",
    pages: ["docs/validate.md", "docs/proxy.md", "docs/record.md", "docs/report.md"],
  },
  {
    title: "gw serve",
    pages: ["docs/gateway.md", "docs/x-svc.md", "docs/management-api.md", "docs/cluster.md"],
  },
  {
    title: "Library and tests",
    pages: ["docs/testing.md", "docs/library.md", "docs/pytest.md", "docs/go.md", "docs/java.md"],
  },
  {
    title: "Reference",
    pages: [
      "docs/limits.md",
      "docs/figures.md",
      "docs/clients.md",
      "docs/design.md",
      "docs/decisions.md",
      "CONTRIBUTING.md",
      "CHANGELOG.md",
    ],
  },
];
