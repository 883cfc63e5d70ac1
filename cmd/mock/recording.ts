import { loadOncePerKey } from "../../lib/http/load_once.ts";
import { createBodyGenerator } from "../../lib/mock/generate/generate.ts";
import { Recording } from "../../lib/observe/record/recording.ts";
import type { Document } from "../../lib/openapi/document.ts";
import { createDocumentValidator } from "../../lib/schema/document_validator.ts";
import { createLogRedaction } from "../io/terminal/log_redaction.ts";
import type { Log } from "../io/terminal/log.ts";
import { openRecordingFile, type RecordingFile } from "../io/files/recording_file.ts";
import type { MockSettings } from "./settings.ts";

/**
 * Starts to record the answers of the upstream.
 *
 * @throws {Error} If the file can't be read or written, with a message for the user.
 */
export async function startRecording(
  { "record-examples": examples, redact }: MockSettings,
  path: string,
  documents: readonly Document[],
  log: Log,
): Promise<RecordingFile> {
  const loadValidator = loadOncePerKey((document: Document) => createDocumentValidator(document));
  const loadGenerator = loadOncePerKey(createBodyGenerator);
  const recording = new Recording({
    documents,
    examples,
    redact,
    validatorOf: async (document) => await loadValidator(document),
    generatorOf: async (document) => await loadGenerator(document),
  });
  const redaction = createLogRedaction(() => recording.documents);
  const file = await openRecordingFile(path, recording, {
    note: (message) => log.note(message),
    unrecorded: ({ operation, request, response: { status } }, remarks) =>
      log.late({
        method: request.method,
        target: redaction.target(request, { operation }),
        status,
        source: "recording",
        remarks,
      }),
    complain: log.complain,
  });
  log.note(`Recording to ${path}.`, { recording: path });
  return file;
}
