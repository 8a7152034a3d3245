import { stem } from '../text/stem.ts'

/** Kind of value that a parameter asks for, according to its name and description. */
export type Role =
  | 'place'
  | 'person'
  | 'organization'
  | 'date'
  | 'time'
  | 'year'
  | 'language'
  | 'currency'
  | 'url'
  | 'email'
  | 'path'
  | 'identifier'
  | 'expression'
  | 'text'
  | 'count'
  | 'ordinal'
  | 'unit'

const TABLE: Record<Role, string> = {
  place:
    'city location place country state region area destination origin town address county province venue departure arrival ' +
    'neighborhood district village airport zone capital continent street landmark from_city to_city territory island',
  person:
    'person author artist actor actress director player user patient scientist president composer musician friend recipient ' +
    'assignee employee customer client student teacher singer painter writer leader politician celebrity athlete lawyer owner ' +
    'sender doctor figure sculptor creator partner participant attendee member contact',
  organization:
    'company organization team brand store university club business employer institution agency school bank firm manufacturer publisher',
  date: 'date day deadline birthday birthdate when dob',
  time: 'time clock hour',
  year: 'year season',
  language: 'language locale lang',
  currency: 'currency',
  url: 'url uri link website webpage href endpoint',
  email: 'email mail recipient',
  path: 'path file filename filepath directory folder dir filepaths paths',
  identifier:
    'id identifier code key ticker symbol number sku isbn docket serial phone zip zipcode postal version hash branch tag username account slug uuid revision sha ref commit channel',
  expression: 'function equation expression formula polynomial',
  text: 'text message content body query sentence review comment prompt note description question keyword keywords search string subject title summary',
  count:
    'count limit top quantity maximum minimum max min results items guests participants servings deps seats copies tickets',
  ordinal:
    'century rank position grade floor edition season place level index round page stage chapter episode',
  unit: 'unit units measurement scale',
}

const byStem = new Map<string, Role[]>()
for (const [role, words] of Object.entries(TABLE) as [Role, string][]) {
  for (const word of words.split(' ')) byStem.set(stem(word), [...(byStem.get(stem(word)) ?? []), role])
}

export function rolesOf(wordStem: string): Role[] {
  return byStem.get(wordStem) ?? []
}

const DIMENSIONS: Record<string, string> = {
  length:
    'distance length height width radius base depth side diameter altitude elevation thickness wavelength mileage perimeter',
  area: 'area',
  volume: 'volume capacity',
  mass: 'mass weight',
  time: 'duration time period year month week day hour minute second term tenure night timeframe age interval',
  temperature: 'temperature temp',
  speed: 'speed velocity',
  acceleration: 'acceleration gravity',
  money:
    'price amount cost budget salary income investment principal deposit payment fee revenue profit expense lease balance ' +
    'dividend payout cash money capital equity debt wage contribution fund tax earning',
  ratio:
    'rate percentage percent probability ratio yield interest discount return tip confidence alpha volatility margin growth',
  pressure: 'pressure',
  frequency: 'frequency',
  voltage: 'voltage potential',
  current: 'current',
  resistance: 'resistance',
  angle: 'angle latitude longitude degree rotation',
  energy: 'energy calorie heat',
  power: 'power',
  force: 'force',
  charge: 'charge',
  capacitance: 'capacitance',
  inductance: 'inductance',
  storage: 'memory storage disk bandwidth',
}

const dimensionByStem = new Map<string, string>()
for (const [dimension, words] of Object.entries(DIMENSIONS)) {
  for (const word of words.split(' '))
    if (!dimensionByStem.has(stem(word))) dimensionByStem.set(stem(word), dimension)
}

/** Dimension of a word: "height" gives "length". */
export function dimensionOf(wordStem: string): string | undefined {
  return dimensionByStem.get(wordStem)
}

const stems = (words: string) => new Set(words.split(' ').map(stem))

/** Parameter words for the source and the target. */
export const SOURCE_STEMS = stems(
  'origin start from source departure base initial begin pickup sender first old lower min starting after since home',
)
export const TARGET_STEMS = stems(
  'destination end to target arrival final dropoff recipient second new upper max ending until before goal away',
)
