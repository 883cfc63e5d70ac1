export interface Glibc {
  major: number;
  minor: number;
}

/** The oldest version of glibc that a platform tag can name (manylinux2014). */
const OLDEST: Glibc = { major: 2, minor: 17 };

/** The libraries that every system of a `manylinux` tag has (PEP 600). */
const LIBRARIES = /^(ld-linux-.*|lib(c|m|dl|rt|pthread|util|gcc_s|stdc\+\+))\.so\.\d+$/;

/**
 * Finds the oldest version of glibc that an executable for Linux runs with: the newest version among the symbols that
 * it imports. `readelf` of GNU binutils reads executables of any architecture.
 *
 * @param executable The path of the file.
 * @throws {Error} If `readelf` is missing or can't read the file, or if the executable needs a library that a
 * `manylinux` system may lack.
 */
export async function glibcOf(executable: string): Promise<Glibc> {
  const { success, stdout, stderr } = await new Deno.Command("readelf", {
    args: ["--wide", "--dynamic", "--version-info", executable],
    env: { LC_ALL: "C" },
  }).output().catch((error) => {
    throw new Error("Cannot run readelf: install binutils.", { cause: error });
  });
  const text = new TextDecoder().decode(stdout);
  const libraries = [...text.matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, name = ""]) => name);
  if (!success || libraries.length === 0) {
    throw new Error(`${executable} is no executable of Linux: ${new TextDecoder().decode(stderr).trim()}`);
  }
  const others = libraries.filter((name) => !LIBRARIES.test(name));
  if (others.length > 0) throw new Error(`${executable} needs ${others.join(", ")}, which not every Linux has.`);
  return [...text.matchAll(/GLIBC_(\d+)\.(\d+)/g)]
    .map(([, major, minor]) => ({ major: Number(major), minor: Number(minor) }))
    .reduce((newest, other) => isNewer(other, newest) ? other : newest, OLDEST);
}

function isNewer(a: Glibc, b: Glibc): boolean {
  return a.major === b.major ? a.minor > b.minor : a.major > b.major;
}
