/**
 * Words that bodies are made of. The people, companies and addresses are nobody's: domains are those that RFC 2606
 * keeps for examples, phone numbers those that North America keeps for fiction.
 *
 * @module
 */

type Words<Word = string> = readonly [Word, ...Word[]];

export interface Person {
  readonly first: string;
  readonly last: string;
}

export const PEOPLE: Words<Person> = [
  { first: "Ada", last: "Lovelace" },
  { first: "Grace", last: "Hopper" },
  { first: "Alan", last: "Turing" },
  { first: "Emmy", last: "Noether" },
  { first: "Carl", last: "Gauss" },
  { first: "Sofia", last: "Kovalevskaya" },
  { first: "Srinivasa", last: "Ramanujan" },
  { first: "Katherine", last: "Johnson" },
  { first: "Leonhard", last: "Euler" },
  { first: "Chien-Shiung", last: "Wu" },
  { first: "Edsger", last: "Dijkstra" },
  { first: "Hedy", last: "Lamarr" },
];

export interface Location {
  readonly street: string;
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

export const LOCATIONS: Words<Location> = [
  {
    street: "12 Harbour Street",
    city: "Lisbon",
    region: "Lisboa",
    regionCode: "11",
    country: "Portugal",
    countryCode: "PT",
    postalCode: "1100-148",
    currency: "EUR",
    language: "pt",
    timeZone: "Europe/Lisbon",
    latitude: 38.7223,
    longitude: -9.1393,
  },
  {
    street: "500 Market Street",
    city: "San Francisco",
    region: "California",
    regionCode: "CA",
    country: "United States",
    countryCode: "US",
    postalCode: "94105",
    currency: "USD",
    language: "en",
    timeZone: "America/Los_Angeles",
    latitude: 37.7749,
    longitude: -122.4194,
  },
  {
    street: "Lindenallee 7",
    city: "Hamburg",
    region: "Hamburg",
    regionCode: "HH",
    country: "Germany",
    countryCode: "DE",
    postalCode: "20259",
    currency: "EUR",
    language: "de",
    timeZone: "Europe/Berlin",
    latitude: 53.5511,
    longitude: 9.9937,
  },
  {
    street: "3-1-1 Marunouchi",
    city: "Tokyo",
    region: "Tokyo",
    regionCode: "13",
    country: "Japan",
    countryCode: "JP",
    postalCode: "100-0005",
    currency: "JPY",
    language: "ja",
    timeZone: "Asia/Tokyo",
    latitude: 35.6762,
    longitude: 139.6503,
  },
  {
    street: "88 Queen Street",
    city: "Toronto",
    region: "Ontario",
    regionCode: "ON",
    country: "Canada",
    countryCode: "CA",
    postalCode: "M5H 2N2",
    currency: "CAD",
    language: "en",
    timeZone: "America/Toronto",
    latitude: 43.6532,
    longitude: -79.3832,
  },
  {
    street: "24 Rue des Lilas",
    city: "Lyon",
    region: "Auvergne-Rhône-Alpes",
    regionCode: "ARA",
    country: "France",
    countryCode: "FR",
    postalCode: "69003",
    currency: "EUR",
    language: "fr",
    timeZone: "Europe/Paris",
    latitude: 45.764,
    longitude: 4.8357,
  },
];

export const COMPANIES: Words = ["Northwind", "Acme", "Globex", "Contoso", "Initech", "Umbra", "Fabrikam", "Hooli"];
export const JOBS: Words = ["Engineer", "Designer", "Analyst", "Editor", "Product manager", "Architect", "Researcher"];
export const PRODUCTS: Words = ["Desk lamp", "Wool blanket", "Teapot", "Notebook", "Backpack", "Bicycle", "Oak chair"];
export const CATEGORIES: Words = ["home", "garden", "books", "sports", "kitchen", "travel", "office"];
export const COLORS: Words = ["teal", "crimson", "amber", "navy", "olive", "coral", "ivory"];
export const ANIMALS: Words = ["Otter", "Heron", "Lynx", "Badger", "Falcon", "Hedgehog", "Marten"];
export const PETS: Words = ["Milo", "Luna", "Biscuit", "Pepper", "Simba", "Olive", "Rex"];
export const STATES: Words = ["active", "pending", "completed", "draft", "archived"];
export const WORDS: Words = [
  "amber",
  "breeze",
  "cedar",
  "delta",
  "ember",
  "fjord",
  "grove",
  "harbor",
  "island",
  "juniper",
  "kestrel",
  "lagoon",
  "meadow",
  "nimbus",
  "orchard",
  "pebble",
  "quartz",
  "river",
  "summit",
  "thicket",
  "valley",
  "willow",
];
export const SENTENCES: Words = [
  "The quick brown fox jumps over the lazy dog.",
  "Everything arrived on time and in good order.",
  "Please see the notes from last week for details.",
  "A short walk leads from the station to the harbour.",
  "It works as described, with one small exception.",
  "The first draft is ready for a second pair of eyes.",
  "Nothing needs to be done before the next release.",
];
export const USER_AGENTS: Words = [
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
];
export const MEDIA_TYPES: Words = ["application/json", "text/plain", "image/png", "application/pdf"];
export const FILES: Words = ["report.pdf", "photo.png", "notes.txt", "invoice.pdf", "data.csv"];
