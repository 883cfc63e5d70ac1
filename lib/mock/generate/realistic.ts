import { errorText } from "./error_text.ts";
import { formatMoment, momentOf } from "./moment.ts";
import type { Place } from "./value_path.ts";
import { createRandom, hashWith, integer, pick, type Random } from "./random.ts";
import * as vocabulary from "./vocabulary.ts";

/** What a value is made from. */
interface Scene {
  readonly place: Place;
  /** The name of the value, as words in lower case: `created at` for `createdAt` and `created_at`. */
  readonly words: string;
  /** What the object around the value is called, as words in lower case. */
  readonly owner: string;
  readonly random: Random;
  readonly person: { readonly first: string; readonly last: string };
  readonly location: vocabulary.Location;
  readonly company: string;
}

type Write = (scene: Scene) => string;

function sceneOf(place: Place): Scene {
  const shared = (what: string): Random => createRandom(hashWith(place.group, what));
  return {
    place,
    words: wordsOf(place.name),
    random: createRandom(place.hash),
    get owner() {
      return wordsOf(place.owner);
    },
    get person() {
      return {
        first: pick(vocabulary.FIRST_NAMES, shared("first")),
        last: pick(vocabulary.LAST_NAMES, shared("last")),
      };
    },
    get location() {
      return vocabulary.locationAt(shared("location")());
    },
    get company() {
      return pick(vocabulary.COMPANIES, shared("company"));
    },
  };
}

/** A name as words in lower case. */
export function wordsOf(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();
}

const slug = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
const hex = (length: number, random: Random): string =>
  Array.from({ length }, () => integer(0, 15, random).toString(16)).join("");
const digits = (length: number, random: Random): string =>
  Array.from({ length }, (_, index) => integer(index === 0 ? 1 : 0, 9, random)).join("");
const word: Write = ({ random }) => pick(vocabulary.WORDS, random);
const host: Write = ({ random }) => `${pick(vocabulary.WORDS, random)}.example.com`;
const domain: Write = ({ company }) => `${slug(company)}.example`;
const username: Write = ({ person }) => slug(person.first);
const email: Write = ({ person }) => `${slug(person.first)}.${slug(person.last)}@example.com`;
const phone: Write = ({ random }) => `+1202555${String(integer(100, 199, random)).padStart(4, "0")}`;
const uuid: Write = ({ random }) =>
  `${hex(8, random)}-${hex(4, random)}-4${hex(3, random)}-${pick(["8", "9", "a", "b"], random)}${hex(3, random)}-${
    hex(12, random)
  }`;
const dateTime: Write = ({ place, words }) => formatMoment(momentOf(place, words));
const date: Write = (scene) => dateTime(scene).slice(0, 10);
const time: Write = (scene) => dateTime(scene).slice(11);
const ipv4: Write = ({ random }) => `192.0.2.${integer(1, 254, random)}`;
const ipv6: Write = ({ random }) => `2001:db8::${integer(1, 0xffff, random).toString(16)}`;
const base64: Write = (scene) => btoa(`${word(scene)} ${word(scene)}`);
const sentence: Write = ({ random }) => `${pick(vocabulary.SUBJECTS, random)} ${pick(vocabulary.PREDICATES, random)}.`;
const product: Write = ({ random }) => pick(vocabulary.PRODUCTS, random);
const amount: Write = ({ random }) => (integer(100, 99_999, random) / 100).toFixed(2);
const password: Write = ({ random }) => `${pick(vocabulary.WORDS, random)}-${digits(4, random)}`;
const image: Write = ({ random }) =>
  `https://images.example.com/${pick(vocabulary.WORDS, random)}-${hex(4, random)}.png`;

const url: Write = (scene) => {
  const { words, random, person, company } = scene;
  if (/avatar|image|photo|picture|logo|icon|thumb|banner|poster|gravatar/.test(words)) return image(scene);
  if (/profile|user/.test(words)) return `https://example.com/users/${slug(person.first)}`;
  if (/homepage|website|blog|company/.test(words)) return `https://${slug(company)}.example/`;
  if (/webhook|callback|notify|hook/.test(words)) return `https://hooks.example.com/${hex(8, random)}`;
  return `https://example.com/${pick(vocabulary.WORDS, random)}/${integer(1, 999, random)}`;
};

/** Texts of the formats of JSON Schema, of OpenAPI's registry, and of some that authors use. */
const FORMATS: Readonly<Record<string, Write>> = {
  "base64": base64,
  "base64url": ({ random }) => hex(16, random),
  "binary": word,
  "byte": base64,
  "char": ({ random }) => String.fromCharCode(97 + integer(0, 25, random)),
  "color": ({ random }) => `#${hex(6, random)}`,
  "commonmark": sentence,
  "country-code": ({ location }) => location.countryCode,
  "currency": ({ location }) => location.currency,
  "date": date,
  "date-time": dateTime,
  "date-time-local": (scene) => dateTime(scene).replace("Z", ""),
  "decimal": amount,
  "decimal128": amount,
  "double": amount,
  "duration": ({ random }) => `PT${integer(1, 59, random)}M`,
  "email": email,
  "float": amount,
  "google-datetime": dateTime,
  "google-duration": ({ random }) => `${integer(1, 600, random)}.5s`,
  "google-fieldmask": () => "name,createTime",
  "hostname": host,
  "html": (scene) => `<p>${sentence(scene)}</p>`,
  "http-date": ({ place, words }) => new Date(momentOf(place, words) * 1000).toUTCString(),
  "idn-email": email,
  "idn-hostname": host,
  "int32": ({ random }) => digits(5, random),
  "int64": ({ random }) => digits(9, random),
  "ip": ipv4,
  "ipv4": ipv4,
  "ipv6": ipv6,
  "iri": url,
  "iri-reference": url,
  "iso-date-time": dateTime,
  "iso-time": time,
  "json-pointer": (scene) => `/${word(scene)}/0`,
  "json-pointer-uri-fragment": (scene) => `#/${word(scene)}/0`,
  "mac": ({ random }) => Array.from({ length: 6 }, () => hex(2, random)).join(":"),
  "media-range": () => "text/*;q=0.8",
  "partial-date": date,
  "partial-date-time": dateTime,
  "password": password,
  "phone": phone,
  "regex": () => "^[a-z]+$",
  "relative-json-pointer": (scene) => `1/${word(scene)}`,
  "sf-binary": (scene) => `:${base64(scene)}:`,
  "sf-boolean": ({ random }) => `?${integer(0, 1, random)}`,
  "sf-string": (scene) => JSON.stringify(word(scene)),
  "sf-token": word,
  "time": time,
  "time-local": (scene) => time(scene).replace("Z", ""),
  "uint32": ({ random }) => digits(5, random),
  "uint64": ({ random }) => digits(9, random),
  "unixtime": ({ place, words }) => String(momentOf(place, words)),
  "uri": url,
  "uri-reference": url,
  "uri-template": (scene) => `https://example.com/${word(scene)}/{id}`,
  "url": url,
  "uuid": uuid,
};

/** Other spellings of formats, as authors have them. */
const SPELLINGS: readonly [RegExp, string][] = [
  [/^(iso-?8601|rfc-?3339|date-?time|timestamp|utc|datetime)/, "date-time"],
  [/guid|uuid/, "uuid"],
  [/e-?mail/, "email"],
  [/phone|e\.?164/, "phone"],
  [/ur[il]|link/, "uri"],
  [/currency|iso-?4217/, "currency"],
  [/country/, "country-code"],
  [/^ip/, "ipv4"],
  [/^date/, "date"],
];

/** What an object's plain `name` may be, by what the object is. */
const OWNERS: readonly [RegExp, Write][] = [
  [
    /\b(user|person|people|customer|author|owner|member|employee|contact|patient|student|player|artist|creator|account holder|profile|assignee|reviewer|candidate|driver|guest)s?\b/,
    ({ person }) => `${person.first} ${person.last}`,
  ],
  [
    /\b(company|companies|organi[sz]ation|vendor|brand|store|shop|merchant|supplier|business|tenant|team)s?\b/,
    ({ company }) => company,
  ],
  [/\b(product|item|article|sku|goods)s?\b/, product],
  [/\b(pet|dog|cat)s?\b/, ({ random }) => pick(vocabulary.PETS, random)],
  [/\b(animal|species)\b/, ({ random }) => pick(vocabulary.ANIMALS, random)],
  [/\b(category|categories|tag|label|genre|topic|department)s?\b/, ({ random }) => pick(vocabulary.CATEGORIES, random)],
  [/\b(file|document|attachment)s?\b/, (scene) => `${word(scene)}.${pick(vocabulary.FILE_TYPES, scene.random)}`],
  [/\b(city|cities|town)\b/, ({ location }) => location.city],
  [/\b(country|countries)\b/, ({ location }) => location.country],
  [/\bcurrenc(y|ies)\b/, ({ location }) => location.currency],
];

/** Texts for names, from the most telling to the least; the words of a name are matched. */
const NAMES: readonly [RegExp, Write][] = [
  [/\be ?mail( address)?$|^from address$|^reply to$/, email],
  [/\b(uuid|guid)$/, uuid],
  [/\b(ip|ip address|ipv4)$/, ipv4],
  [/\bipv6$/, ipv6],
  [/\bmac( address)?$/, ({ random }) => Array.from({ length: 6 }, () => hex(2, random)).join(":")],
  [
    /\b(ur[il]|href|link|website|homepage|webhook|callback|endpoint|avatar|image|photo|picture|logo|icon|thumbnail)s?$/,
    url,
  ],
  [/\b(first|given) ?names?$|^fname$/, ({ person }) => person.first],
  [/\b(last|family|sur) ?names?$|^lname$|^surname$/, ({ person }) => person.last],
  [/\bmiddle name$/, ({ random }) => pick(vocabulary.FIRST_NAMES, random)],
  [/\b(user ?name|login|nick ?name|handle|screen name)$/, username],
  [
    /\b(full|display|contact|author|owner|customer|user|person|sender|recipient|employee|patient|holder|member|creator|assignee) ?name$|^(author|owner|creator|assignee|created by|updated by|modified by)$/,
    ({ person }) => `${person.first} ${person.last}`,
  ],
  [/\b(phone|mobile|fax|telephone|tel|cell|msisdn)( number| no)?$/, phone],
  [
    /\b(company|organi[sz]ation|org|vendor|merchant|brand|manufacturer|supplier|tenant|account|business)( name)?$/,
    ({ company }) => company,
  ],
  [
    /\b(job )?title$/,
    ({ words, random }) => pick(/job/.test(words) ? vocabulary.JOBS : vocabulary.SUBJECTS, random),
  ],
  [/\b(job|role|position|occupation|profession)$/, ({ random }) => pick(vocabulary.JOBS, random)],
  [
    /\b(street|(address ?)?line ?1|address ?1|street address|address)$/,
    ({ random }) => `${integer(1, 99, random)} ${pick(vocabulary.STREETS, random)}`,
  ],
  [/\b((address ?)?line ?2|address ?2)$/, ({ random }) => `Floor ${integer(1, 12, random)}`],
  [/\b(city|town|locality|municipality)$/, ({ location }) => location.city],
  [/\b(state|province|region) code$/, ({ location }) => location.regionCode],
  [/\b(province|region|county)$|^(billing|shipping|address) state$/, ({ location }) => location.region],
  [/\b(country code|country iso|iso country.*|iso2|alpha 2)$/, ({ location }) => location.countryCode],
  [/\bcountry( name)?$/, ({ location }) => location.country],
  [/\b(zip|postal|post)( ?code)?$/, ({ location }) => location.postalCode],
  [/\bcurrency( code)?$/, ({ location }) => location.currency],
  [/\b(lang|language|locale)( code)?$/, ({ location }) => location.language],
  [/\b(time ?zone|tz)( id| name)?$/, ({ location }) => location.timeZone],
  [/\blat(itude)?$/, ({ location }) => String(location.latitude)],
  [/\b(lon|lng|long|longitude)$/, ({ location }) => String(location.longitude)],
  [/\b(price|amount|total|subtotal|cost|fee|balance|tax|discount)$/, amount],
  [/\b(date|day|birthday|dob)$/, date],
  [
    /\b(at|time|timestamp|date ?time|created|updated|modified|deleted|expires|expiry|expiration|since|until|on)$/,
    dateTime,
  ],
  [/\bduration$/, ({ random }) => `PT${integer(1, 59, random)}M`],
  [/\b(host|host ?name|server)$/, host],
  [/\bdomain( name)?$/, domain],
  [/\bport$/, ({ random }) => String(integer(3000, 9999, random))],
  [/\bpath$/, (scene) => `/${word(scene)}/${word(scene)}`],
  [/\b(file ?name|attachment|file)$/, (scene) => `${word(scene)}.${pick(vocabulary.FILE_TYPES, scene.random)}`],
  [/\b(mime|media|content) ?type$/, ({ random }) => pick(vocabulary.MEDIA_TYPES, random)],
  [
    /\buser agent$/,
    ({ random }) => `Mozilla/5.0 (X11; Linux x86_64; rv:${integer(130, 150, random)}.0) Gecko/20100101 Firefox/140.0`,
  ],
  [/\b(colou?r)$/, ({ random }) => pick(vocabulary.COLORS, random)],
  [/\b(slug|permalink)$/, (scene) => `${word(scene)}-${word(scene)}`],
  [/\bversion$/, ({ random }) => `${integer(1, 3, random)}.${integer(0, 9, random)}.0`],
  [/\b(password|passphrase|pwd)$/, password],
  [/\b(sha|commit|sha1)$/, ({ random }) => hex(40, random)],
  [/\b(hash|digest|checksum|sha256|fingerprint)$/, ({ random }) => hex(64, random)],
  [/\b(etag|md5)$/, ({ random }) => hex(32, random)],
  [/\b(token|secret|api key|access key|key id|signature|nonce|cursor|session)$/, ({ random }) => hex(24, random)],
  [
    /\b(description|summary|comment|note|message|content|body|text|bio|about|details?|reason|remark|caption|excerpt|subject)s?$/,
    sentence,
  ],
  [/\b(status|state|phase)$/, ({ random }) => pick(vocabulary.STATES, random)],
  [
    /\b(category|categories|tag|tags|label|labels|topic|genre|department|group)( name)?$/,
    ({ random }) => pick(vocabulary.CATEGORIES, random),
  ],
  [/\b(product|item|sku)( name)?$/, product],
  [/\b(species|animal|breed)$/, ({ random }) => pick(vocabulary.ANIMALS, random)],
  [/\bpet( name)?$/, ({ random }) => pick(vocabulary.PETS, random)],
  [/\b(percent|percentage|rate|ratio)$/, ({ random }) => String(integer(1, 99, random))],
  [
    /\b(count|quantity|qty|size|number|num|length|width|height|weight)$/,
    ({ random }) => String(integer(1, 99, random)),
  ],
  [/\b(id|identifier|ref|reference|code|number|key|no)$/, ({ random }) => hex(8, random)],
];

/**
 * Texts that would look right at a place, the best first; whether the schema allows them is for the caller to ask.
 *
 * @param place Where the text stands.
 * @param formats What `format` says of it.
 */
export function suggestTexts(place: Place, formats: readonly string[]): string[] {
  const scene = sceneOf(place);
  const byFormat = formats.flatMap((format) => {
    const write = writerOf(format);
    return write === undefined ? [] : [write(scene)];
  });
  const byOwner = scene.words === "name" ? OWNERS.find(([pattern]) => pattern.test(scene.owner))?.[1] : undefined;
  const byName = byOwner ?? NAMES.find(([pattern]) => pattern.test(scene.words))?.[1];
  const byStatus = place.status === undefined ? undefined : errorText(place.status, scene.words);
  return [
    ...byFormat,
    ...(byStatus === undefined ? [] : [byStatus]),
    ...(byName === undefined ? [] : [byName(scene)]),
    word(scene),
  ];
}

function writerOf(format: string): Write | undefined {
  const name = format.toLowerCase();
  if (Object.hasOwn(FORMATS, name)) return FORMATS[name];
  const spelling = SPELLINGS.find(([pattern]) => pattern.test(name))?.[1];
  return spelling === undefined ? undefined : FORMATS[spelling];
}

type Count = (scene: Scene) => number;

/** Numbers for names, from the most telling to the least. */
const NUMBERS: readonly [RegExp, Count][] = [
  [
    /\b(at|time|timestamp|date|created|updated|modified|expires|since|until)$|unix/,
    ({ place, words }) => momentOf(place, words),
  ],
  [/\b(ms|millis|milliseconds)$/, ({ random }) => integer(1, 5000, random)],
  [/\blat(itude)?$/, ({ location }) => location.latitude],
  [/\b(lon|lng|long|longitude)$/, ({ location }) => location.longitude],
  [
    /\b(price|amount|total|subtotal|cost|fee|balance|tax|discount|revenue|salary)$/,
    ({ random }) => integer(100, 99_999, random) / 100,
  ],
  [/\b(rating|score|stars)$/, ({ random }) => integer(10, 50, random) / 10],
  [/\b(percent|percentage|progress)$/, ({ random }) => integer(1, 99, random)],
  [/\b(ratio|probability|confidence|rate)$/, ({ random }) => integer(1, 99, random) / 100],
  [/\bage$/, ({ random }) => integer(18, 80, random)],
  [/\byear$/, ({ place, words }) => Number(formatMoment(momentOf(place, words)).slice(0, 4))],
  [/\bmonth$/, ({ random }) => integer(1, 12, random)],
  [/\b(day|week)$/, ({ random }) => integer(1, 28, random)],
  [/\bhours?$/, ({ random }) => integer(0, 23, random)],
  [/\b(minutes?|seconds?)$/, ({ random }) => integer(0, 59, random)],
  [/\bport$/, ({ random }) => integer(3000, 9999, random)],
  [/\bstatus( code)?$|^code$/, ({ place: { status } }) => status ?? 200],
  [/\b(page|current page|page number)$/, () => 1],
  [/\b(limit|per page|page size|pagesize)$/, () => 20],
  [/\boffset$/, () => 0],
  [/\b(width|height)$/, ({ random }) => integer(100, 1920, random)],
  [/\b(bytes|size|length)$/, ({ random }) => integer(1000, 99_999, random)],
  [/\b(id|number|no|key)$/, ({ place, random }) => integer(1, 99, random) * 10 + place.index],
  [/./, ({ random }) => integer(1, 99, random)],
];

/** A number that would look right at a place; whether the schema allows it is for the caller to ask. */
export function suggestNumber(place: Place): number {
  const scene = sceneOf(place);
  const write = NUMBERS.find(([pattern]) => pattern.test(scene.words))?.[1];
  return write === undefined ? integer(1, 99, scene.random) : write(scene);
}
