/**
 * Sample files that are archives of XML files: documents of office programs, and the like. They are put together at
 * their first use.
 *
 * @module
 */
import { type ZippableFile, zipSync } from "fflate";
import type { Bytes } from "../http/handler.ts";

type Parts = Readonly<Record<string, string>>;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const OFFICE_TYPE = "application/vnd.openxmlformats-officedocument";
const ODF = "urn:oasis:names:tc:opendocument:xmlns";

/** The parts that each Office Open XML file has (ECMA-376, part 2), and its own ones. */
function openXml(main: string, mainType: string, parts: Parts, types: Readonly<Record<string, string>> = {}): Parts {
  const overrides = Object.entries({ [main]: mainType, ...types })
    .map(([part, type]) => `<Override PartName="/${part}" ContentType="${OFFICE_TYPE}.${type}+xml"/>`).join("");
  return {
    "[Content_Types].xml": `${XML}<Types xmlns="${PACKAGE}/content-types">` +
      `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      `<Default Extension="xml" ContentType="application/xml"/>${overrides}</Types>`,
    "_rels/.rels": relationships({ officeDocument: main }),
    ...parts,
  };
}

/** Relationships with the ids `rId1`, `rId2`, … */
function relationships(targets: Readonly<Record<string, string>>): string {
  const links = Object.entries(targets)
    .map(([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`);
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${links.join("")}</Relationships>`;
}

/** The parts of an OpenDocument file (ISO/IEC 26300). */
function openDocument(mediaType: string, body: string): Parts {
  const entry = (path: string, type: string): string =>
    `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="${type}"/>`;
  return {
    "mimetype": mediaType,
    "META-INF/manifest.xml": `${XML}<manifest:manifest xmlns:manifest="${ODF}:manifest:1.0" manifest:version="1.2">` +
      `${entry("/", mediaType)}${entry("content.xml", "text/xml")}</manifest:manifest>`,
    "content.xml": `${XML}<office:document-content xmlns:office="${ODF}:office:1.0" xmlns:text="${ODF}:text:1.0" ` +
      `xmlns:table="${ODF}:table:1.0" office:version="1.2"><office:body>${body}</office:body></office:document-content>`,
  };
}

const SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const PRESENTATION = "http://schemas.openxmlformats.org/presentationml/2006/main";

const FILES: Readonly<Record<string, () => Parts>> = {
  "application/epub+zip": () => ({
    "mimetype": "application/epub+zip",
    "META-INF/container.xml":
      `${XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>` +
      `<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    "book.opf": `${XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">` +
      `<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">sample</dc:identifier>` +
      `<dc:title>Sample</dc:title><dc:language>en</dc:language>` +
      `<meta property="dcterms:modified">2025-01-01T00:00:00Z</meta></metadata>` +
      `<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>` +
      `<spine><itemref idref="nav"/></spine></package>`,
    "nav.xhtml": `${XML}<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">` +
      `<head><title>Sample</title></head><body><nav epub:type="toc"><ol><li><a href="nav.xhtml">Sample</a></li></ol>` +
      `</nav></body></html>`,
  }),
  "application/java-archive": () => ({ "META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\n\r\n" }),
  "application/vnd.oasis.opendocument.spreadsheet": () =>
    openDocument(
      "application/vnd.oasis.opendocument.spreadsheet",
      '<office:spreadsheet><table:table table:name="Sample"><table:table-row>' +
        '<table:table-cell office:value-type="string"><text:p>Sample</text:p></table:table-cell>' +
        "</table:table-row></table:table></office:spreadsheet>",
    ),
  "application/vnd.oasis.opendocument.text": () =>
    openDocument(
      "application/vnd.oasis.opendocument.text",
      "<office:text><text:p>Sample</text:p></office:text>",
    ),
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": () =>
    openXml("ppt/presentation.xml", "presentationml.presentation.main", {
      "ppt/presentation.xml": `${XML}<p:presentation xmlns:p="${PRESENTATION}">` +
        `<p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`,
    }),
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": () =>
    openXml("xl/workbook.xml", "spreadsheetml.sheet.main", {
      "xl/workbook.xml": `${XML}<workbook xmlns="${SPREADSHEET}" xmlns:r="${OFFICE}">` +
        `<sheets><sheet name="Sample" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": relationships({ worksheet: "worksheets/sheet1.xml" }),
      "xl/worksheets/sheet1.xml": `${XML}<worksheet xmlns="${SPREADSHEET}"><sheetData><row r="1">` +
        `<c r="A1" t="inlineStr"><is><t>Sample</t></is></c></row></sheetData></worksheet>`,
    }, { "xl/worksheets/sheet1.xml": "spreadsheetml.worksheet" }),
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": () =>
    openXml("word/document.xml", "wordprocessingml.document.main", {
      "word/document.xml": `${XML}<w:document xmlns:w="${WORD}"><w:body><w:p><w:r><w:t>Sample</w:t></w:r></w:p>` +
        `</w:body></w:document>`,
    }),
};

/** The sample file of a media type without parameters; `undefined` if there is none. */
export function officeFile(essence: string): Bytes | undefined {
  const parts = Object.hasOwn(FILES, essence) ? FILES[essence]?.() : undefined;
  if (parts === undefined) return undefined;
  // `mimetype` must not be compressed, since it tells the type of the archive at a fixed offset.
  const files = Object.entries(parts).map(([path, text]): [string, ZippableFile] => [
    path,
    [new TextEncoder().encode(text), { level: path === "mimetype" ? 0 : 9 }],
  ]);
  // A fixed time makes equal files.
  return new Uint8Array(zipSync(Object.fromEntries(files), { mtime: "1980-01-01T00:00:00" }));
}
