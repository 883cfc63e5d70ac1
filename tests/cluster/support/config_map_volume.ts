/**
 * Writes the files of a ConfigMap into a volume as the kubelet does: the new files are in a folder of their own, the
 * symbolic link `..data` is switched to that folder in one step, and each file's name is a link through `..data`.
 * Source: `AtomicWriter` in kubernetes/pkg/volume/util/atomic_writer.go.
 *
 * @param volume The folder of the volume; it exists.
 * @param files The texts of all files by name. Each call has the same names.
 */
export async function writeConfigMapVolume(volume: string, files: Readonly<Record<string, string>>): Promise<void> {
  const previous = await Deno.readLink(`${volume}/..data`).catch(() => undefined);
  const next = `..${new Date().toISOString().replaceAll(/\D/g, "_")}${crypto.randomUUID()}`;
  await Deno.mkdir(`${volume}/${next}`);
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${volume}/${next}/${name}`, text);
  await Deno.symlink(next, `${volume}/..data_tmp`);
  await Deno.rename(`${volume}/..data_tmp`, `${volume}/..data`);
  if (previous !== undefined) return await Deno.remove(`${volume}/${previous}`, { recursive: true });
  for (const name of Object.keys(files)) await Deno.symlink(`..data/${name}`, `${volume}/${name}`);
}
