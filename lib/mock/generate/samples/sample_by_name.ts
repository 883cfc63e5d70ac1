import { pick, randomInteger } from "../random.ts";
import { formatTime, type SampleContext, sampleTime } from "./sample_context.ts";
import {
  amount,
  date,
  dateTime,
  domain,
  email,
  hexDigits,
  host,
  ipv4,
  ipv6,
  password,
  phone,
  product,
  sampleSentence,
  type SampleWriter,
  url,
  username,
  uuid,
  word,
} from "./sample_writer.ts";
import * as vocabulary from "./vocabulary.ts";

/**
 * Sample writers for a property called `name`, by the name of its object: a person's name for `user`, a city for
 * `town`.
 */
const OWNERS: readonly [RegExp, SampleWriter][] = [
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
  [/\b(file|document|attachment)s?\b/, (context) => `${word(context)}.${pick(vocabulary.FILE_TYPES, context.random)}`],
  [/\b(city|cities|town)\b/, ({ location }) => location.city],
  [/\b(country|countries)\b/, ({ location }) => location.country],
  [/\bcurrenc(y|ies)\b/, ({ location }) => location.currency],
];

/**
 * Sample writers by property name, split into words. The first matching pattern applies, so specific patterns come
 * first.
 */
const NAMES: readonly [RegExp, SampleWriter][] = [
  [/\be ?mail( address)?$|^from address$|^reply to$/, email],
  [/\b(uuid|guid)$/, uuid],
  [/\b(ip|ip address|ipv4)$/, ipv4],
  [/\bipv6$/, ipv6],
  [/\bmac( address)?$/, ({ random }) => Array.from({ length: 6 }, () => hexDigits(2, random)).join(":")],
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
    ({ random }) => `${randomInteger(1, 99, random)} ${pick(vocabulary.STREETS, random)}`,
  ],
  [/\b((address ?)?line ?2|address ?2)$/, ({ random }) => `Floor ${randomInteger(1, 12, random)}`],
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
  [/\bduration$/, ({ random }) => `PT${randomInteger(1, 59, random)}M`],
  [/\b(host|host ?name|server)$/, host],
  [/\bdomain( name)?$/, domain],
  [/\bport$/, ({ random }) => String(randomInteger(3000, 9999, random))],
  [/\bpath$/, (context) => `/${word(context)}/${word(context)}`],
  [/\b(file ?name|attachment|file)$/, (context) => `${word(context)}.${pick(vocabulary.FILE_TYPES, context.random)}`],
  [/\b(mime|media|content) ?type$/, ({ random }) => pick(vocabulary.MEDIA_TYPES, random)],
  [
    /\buser agent$/,
    ({ random }) =>
      `Mozilla/5.0 (X11; Linux x86_64; rv:${randomInteger(130, 150, random)}.0) Gecko/20100101 Firefox/140.0`,
  ],
  [/\b(colou?r)$/, ({ random }) => pick(vocabulary.COLORS, random)],
  [/\b(slug|permalink)$/, (context) => `${word(context)}-${word(context)}`],
  [/\bversion$/, ({ random }) => `${randomInteger(1, 3, random)}.${randomInteger(0, 9, random)}.0`],
  [/\b(password|passphrase|pwd)$/, password],
  [/\b(sha|commit|sha1)$/, ({ random }) => hexDigits(40, random)],
  [/\b(hash|digest|checksum|sha256|fingerprint)$/, ({ random }) => hexDigits(64, random)],
  [/\b(etag|md5)$/, ({ random }) => hexDigits(32, random)],
  [/\b(token|secret|api key|access key|key id|signature|nonce|cursor|session)$/, ({ random }) => hexDigits(24, random)],
  [
    /\b(description|summary|comment|note|message|content|body|text|bio|about|details?|reason|remark|caption|excerpt|subject)s?$/,
    sampleSentence,
  ],
  [/\b(status|state|phase)$/, ({ random }) => pick(vocabulary.STATES, random)],
  [
    /\b(category|categories|tag|tags|label|labels|topic|genre|department|group)( name)?$/,
    ({ random }) => pick(vocabulary.CATEGORIES, random),
  ],
  [/\b(product|item|sku)( name)?$/, product],
  [/\b(species|animal|breed)$/, ({ random }) => pick(vocabulary.ANIMALS, random)],
  [/\bpet( name)?$/, ({ random }) => pick(vocabulary.PETS, random)],
  [/\b(percent|percentage|rate|ratio)$/, ({ random }) => String(randomInteger(1, 99, random))],
  [
    /\b(count|quantity|qty|size|number|num|length|width|height|weight)$/,
    ({ random }) => String(randomInteger(1, 99, random)),
  ],
  [/\b(id|identifier|ref|reference|code|number|key|no)$/, ({ random }) => hexDigits(8, random)],
];

/**
 * Sample numbers by property name, split into words. The first matching pattern applies, so specific patterns come
 * first.
 */
const NUMBERS: readonly [RegExp, (context: SampleContext) => number][] = [
  [
    /\b(at|time|timestamp|date|created|updated|modified|expires|since|until)$|unix/,
    ({ path, words }) => sampleTime(path, words),
  ],
  [/\b(ms|millis|milliseconds)$/, ({ random }) => randomInteger(1, 5000, random)],
  [/\blat(itude)?$/, ({ location }) => location.latitude],
  [/\b(lon|lng|long|longitude)$/, ({ location }) => location.longitude],
  [
    /\b(price|amount|total|subtotal|cost|fee|balance|tax|discount|revenue|salary)$/,
    ({ random }) => randomInteger(100, 99_999, random) / 100,
  ],
  [/\b(rating|score|stars)$/, ({ random }) => randomInteger(10, 50, random) / 10],
  [/\b(percent|percentage|progress)$/, ({ random }) => randomInteger(1, 99, random)],
  [/\b(ratio|probability|confidence|rate)$/, ({ random }) => randomInteger(1, 99, random) / 100],
  [/\bage$/, ({ random }) => randomInteger(18, 80, random)],
  [/\byear$/, ({ path, words }) => Number(formatTime(sampleTime(path, words)).slice(0, 4))],
  [/\bmonth$/, ({ random }) => randomInteger(1, 12, random)],
  [/\b(day|week)$/, ({ random }) => randomInteger(1, 28, random)],
  [/\bhours?$/, ({ random }) => randomInteger(0, 23, random)],
  [/\b(minutes?|seconds?)$/, ({ random }) => randomInteger(0, 59, random)],
  [/\bport$/, ({ random }) => randomInteger(3000, 9999, random)],
  [/\bstatus( code)?$|^code$/, ({ path: { status } }) => status ?? 200],
  [/\b(page|current page|page number)$/, () => 1],
  [/\b(limit|per page|page size|pagesize)$/, () => 20],
  [/\boffset$/, () => 0],
  [/\b(width|height)$/, ({ random }) => randomInteger(100, 1920, random)],
  [/\b(bytes|size|length)$/, ({ random }) => randomInteger(1000, 99_999, random)],
  [/\b(id|number|no|key)$/, ({ path, random }) => randomInteger(1, 99, random) * 10 + path.index],
  [/./, ({ random }) => randomInteger(1, 99, random)],
];

/** The sample writer that suits the name of a property, if there is any. */
export function nameWriter({ words, owner }: SampleContext): SampleWriter | undefined {
  const byOwner = words === "name" ? OWNERS.find(([pattern]) => pattern.test(owner))?.[1] : undefined;
  return byOwner ?? NAMES.find(([pattern]) => pattern.test(words))?.[1];
}

/** A sample number that suits the name of a property. */
export function sampleNumber(context: SampleContext): number {
  const write = NUMBERS.find(([pattern]) => pattern.test(context.words))?.[1];
  return write === undefined ? randomInteger(1, 99, context.random) : write(context);
}
