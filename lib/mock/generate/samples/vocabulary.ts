/**
 * The vocabulary of sample texts. People, companies and addresses are invented.
 *
 * @module
 */

type Words<Word = string> = readonly [Word, ...Word[]];

const words = (text: string): Words => {
  const [first = "", ...others] = text.split(",").map((word) => word.trim());
  return [first, ...others];
};

export const FIRST_NAMES = words(
  `Ada, Grace, Alan, Emmy, Carl, Sofia, Srinivasa, Katherine, Leonhard, Edsger, Hedy, Blaise, Hypatia, Niels, Lise, Enrico,
  Maria, Barbara, Isaac, Dorothy`,
);
export const LAST_NAMES = words(
  `Lovelace, Hopper, Turing, Noether, Gauss, Kovalevskaya, Ramanujan, Johnson, Euler, Dijkstra, Lamarr, Pascal, Bohr,
  Meitner, Fermi, Mayer, Liskov, Newton, Hodgkin, Curie`,
);
export const COMPANIES = words(
  `Northwind, Acme, Globex, Contoso, Initech, Umbra, Fabrikam, Hooli, Tailspin, Wingtip, Proseware, Litware, Adatum,
  Trey, Lucerne, Woodgrove, Margie, Relecloud, Nodpub, Fourth Coffee`,
);
export const JOBS = words(
  `Engineer, Designer, Analyst, Editor, Product manager, Architect, Researcher, Translator, Accountant, Librarian, Teacher,
  Electrician, Nurse, Pharmacist, Surveyor, Chemist, Baker, Gardener, Photographer, Musician`,
);
export const PRODUCTS = words(
  `Desk lamp, Wool blanket, Teapot, Notebook, Backpack, Bicycle, Oak chair, Rain jacket, Cast iron pan, Field guide, Clock,
  Camp stove, Linen shirt, Fountain pen, Record player, Bookshelf, Picnic basket, Water bottle, Chess set, Hammock`,
);
export const CATEGORIES = words(
  `home, garden, books, sports, kitchen, travel, office, music, toys, outdoor, health, art, tools, games, pets, shoes,
  lighting, textiles, bath, stationery`,
);
export const COLORS = words(
  `teal, crimson, amber, navy, olive, coral, ivory, indigo, maroon, lime, plum, salmon, khaki, turquoise, gold, silver,
  violet, beige, cyan, magenta`,
);
export const ANIMALS = words(
  `Otter, Heron, Lynx, Badger, Falcon, Hedgehog, Marten, Beaver, Crane, Fox, Seal, Puffin, Tortoise, Hare, Owl, Newt, Stork,
  Ibex, Moose, Swift`,
);
export const PETS = words(
  `Milo, Luna, Biscuit, Pepper, Simba, Olive, Rex, Poppy, Ziggy, Hazel, Bruno, Cleo, Felix, Nala, Oscar, Ruby, Teddy, Willow,
  Maple, Juno`,
);
export const STATES = words(
  `active, pending, completed, draft, archived, open, closed, approved, scheduled, running, paused, cancelled, ready, new`,
);
export const WORDS = words(
  `amber, breeze, cedar, delta, ember, fjord, grove, harbor, island, juniper, kestrel, lagoon, meadow, nimbus, orchard,
  pebble, quartz, river, summit, thicket, valley, willow, birch, canyon, dune, estuary, glacier, heath`,
);
export const SUBJECTS = words(
  `The first draft, Everything in the parcel, The new release, This short walk, The last order, Each change, The report,
  The second attempt`,
);
export const PREDICATES = words(
  `arrived on time, is ready for review, works as described, needs another look, was well received, is safe to use,
  has been there before, took less than a day`,
);
export const FILE_TYPES = words("pdf, png, txt, csv, jpg, json, zip");
export const MEDIA_TYPES = words("application/json, text/plain, image/png, application/pdf, text/csv, image/jpeg");

/** A city, with the region, currency, language and coordinates that go with it. */
export interface Location {
  readonly city: string;
  readonly region: string;
  readonly regionCode: string;
  readonly country: string;
  readonly countryCode: string;
  readonly postalCode: string;
  readonly currency: string;
  readonly language: string;
  readonly timeZone: string;
  readonly latitude: number;
  readonly longitude: number;
}

export const STREETS = words(
  "Harbour Street, Market Street, Mill Lane, Station Road, Queen Street, Orchard Avenue, Bridge Street, Park Lane",
);

const ROWS: Words = [
  "Lisbon,Lisboa,11,Portugal,PT,1100-148,EUR,pt,Europe/Lisbon,38.7223,-9.1393",
  "San Francisco,California,CA,United States,US,94105,USD,en,America/Los_Angeles,37.7749,-122.4194",
  "Hamburg,Hamburg,HH,Germany,DE,20259,EUR,de,Europe/Berlin,53.5511,9.9937",
  "Tokyo,Tokyo,13,Japan,JP,100-0005,JPY,ja,Asia/Tokyo,35.6762,139.6503",
  "Toronto,Ontario,ON,Canada,CA,M5H 2N2,CAD,en,America/Toronto,43.6532,-79.3832",
  "Lyon,Auvergne-Rhône-Alpes,ARA,France,FR,69003,EUR,fr,Europe/Paris,45.764,4.8357",
  "Kraków,Małopolska,MA,Poland,PL,30-001,PLN,pl,Europe/Warsaw,50.0647,19.945",
  "Bergen,Vestland,46,Norway,NO,5003,NOK,no,Europe/Oslo,60.3913,5.3221",
  "Nairobi,Nairobi,30,Kenya,KE,00100,KES,sw,Africa/Nairobi,-1.2921,36.8219",
  "Melbourne,Victoria,VIC,Australia,AU,3000,AUD,en,Australia/Melbourne,-37.8136,144.9631",
  "Porto Alegre,Rio Grande do Sul,RS,Brazil,BR,90010-000,BRL,pt,America/Sao_Paulo,-30.0346,-51.2177",
  "Pune,Maharashtra,MH,India,IN,411001,INR,hi,Asia/Kolkata,18.5204,73.8567",
  "Edinburgh,Scotland,SCT,United Kingdom,GB,EH1 1YZ,GBP,en,Europe/London,55.9533,-3.1883",
  "Valencia,Comunitat Valenciana,VC,Spain,ES,46001,EUR,es,Europe/Madrid,39.4699,-0.3763",
  "Turin,Piemonte,21,Italy,IT,10121,EUR,it,Europe/Rome,45.0703,7.6869",
  "Uppsala,Uppsala,C,Sweden,SE,753 20,SEK,sv,Europe/Stockholm,59.8586,17.6389",
  "Busan,Busan,26,South Korea,KR,48058,KRW,ko,Asia/Seoul,35.1796,129.0756",
  "Rosario,Santa Fe,S,Argentina,AR,S2000,ARS,es,America/Argentina/Cordoba,-32.9442,-60.6505",
  "Zürich,Zürich,ZH,Switzerland,CH,8001,CHF,de,Europe/Zurich,47.3769,8.5417",
  "Wellington,Wellington,WGN,New Zealand,NZ,6011,NZD,en,Pacific/Auckland,-41.2866,174.7756",
];

/** Selects a location by a random number that is at least 0 and less than 1. */
export function locationAt(part: number): Location {
  const row = ROWS[Math.floor(part * ROWS.length)] ?? ROWS[0];
  const [city = "", region = "", regionCode = "", country = "", countryCode = "", ...more] = row.split(",");
  const [postalCode = "", currency = "", language = "", timeZone = "", latitude = "", longitude = ""] = more;
  return {
    city,
    region,
    regionCode,
    country,
    countryCode,
    postalCode,
    currency,
    language,
    timeZone,
    latitude: Number(latitude),
    longitude: Number(longitude),
  };
}
