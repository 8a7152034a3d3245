/** States, provinces and countries after a comma: "Austin, TX", "London, UK". */
const ABBREVIATIONS =
  'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD ' +
  'TN TX UT VT VA WA WV WI WY DC ON BC QC AB UK USA US UAE NSW'
const STATES = `
Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|
Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|
New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode Island|
South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|West Virginia|Wisconsin|Wyoming|
Ontario|Quebec|British Columbia|Alberta|Bavaria|Scotland|Wales|England|Queensland|Victoria|New South Wales`
const COUNTRIES = `
Afghanistan|Argentina|Australia|Austria|Bangladesh|Belgium|Brazil|Bulgaria|Canada|Chile|China|Colombia|Croatia|Cuba|
Czech Republic|Denmark|Egypt|Estonia|Ethiopia|Finland|France|Germany|Ghana|Greece|Hungary|Iceland|India|Indonesia|Iran|Iraq|
Ireland|Israel|Italy|Jamaica|Japan|Jordan|Kenya|Latvia|Lebanon|Lithuania|Luxembourg|Malaysia|Mexico|Morocco|Nepal|
Netherlands|New Zealand|Nigeria|Norway|Pakistan|Peru|Philippines|Poland|Portugal|Qatar|Romania|Russia|Saudi Arabia|Serbia|
Singapore|Slovakia|Slovenia|South Africa|South Korea|Spain|Sri Lanka|Sweden|Switzerland|Taiwan|Thailand|Turkey|Ukraine|
United Arab Emirates|United Kingdom|United States|United States of America|Uruguay|Venezuela|Vietnam|Zimbabwe|UK|USA|US|UAE`

const split = (text: string) => text.split('|').map(name => name.trim())

const REGIONS = new Set([...ABBREVIATIONS.split(' '), ...split(STATES), ...split(COUNTRIES)])
const COUNTRY_NAMES = new Set(split(COUNTRIES))
const STATE_NAMES = new Set([...split(STATES), ...ABBREVIATIONS.split(' ').slice(0, 51)])

/** True if the name can follow the comma in "city, region". */
export function isRegion(name: string): boolean {
  return REGIONS.has(name.replaceAll('.', ''))
}

export function isCountry(name: string): boolean {
  return COUNTRY_NAMES.has(name.replaceAll('.', ''))
}

export function isState(name: string): boolean {
  return STATE_NAMES.has(name)
}

const DEMONYMS = `American:United States|British:United Kingdom|English:England|French:France|German:Germany|Italian:Italy|Spanish:Spain|
Portuguese:Portugal|Dutch:Netherlands|Belgian:Belgium|Swiss:Switzerland|Austrian:Austria|Swedish:Sweden|Norwegian:Norway|Danish:Denmark|
Finnish:Finland|Polish:Poland|Czech:Czech Republic|Hungarian:Hungary|Greek:Greece|Turkish:Turkey|Russian:Russia|Ukrainian:Ukraine|
Irish:Ireland|Scottish:Scotland|Chinese:China|Japanese:Japan|Korean:South Korea|Indian:India|Pakistani:Pakistan|Thai:Thailand|
Vietnamese:Vietnam|Indonesian:Indonesia|Malaysian:Malaysia|Filipino:Philippines|Australian:Australia|Canadian:Canada|Mexican:Mexico|
Brazilian:Brazil|Argentinian:Argentina|Chilean:Chile|Colombian:Colombia|Peruvian:Peru|Egyptian:Egypt|Nigerian:Nigeria|Kenyan:Kenya|
Moroccan:Morocco|Israeli:Israel|Iranian:Iran|Iraqi:Iraq`
const countryByDemonym = new Map(split(DEMONYMS).map(pair => pair.split(':') as [string, string]))

/** The country of a demonym such as "German". */
export function countryOf(demonym: string): string | undefined {
  return countryByDemonym.get(demonym)
}

const CODES =
  'Alabama:AL|Alaska:AK|Arizona:AZ|Arkansas:AR|California:CA|Colorado:CO|Connecticut:CT|Delaware:DE|Florida:FL|Georgia:GA|Hawaii:HI|' +
  'Idaho:ID|Illinois:IL|Indiana:IN|Iowa:IA|Kansas:KS|Kentucky:KY|Louisiana:LA|Maine:ME|Maryland:MD|Massachusetts:MA|Michigan:MI|' +
  'Minnesota:MN|Mississippi:MS|Missouri:MO|Montana:MT|Nebraska:NE|Nevada:NV|New Hampshire:NH|New Jersey:NJ|New Mexico:NM|' +
  'New York:NY|North Carolina:NC|North Dakota:ND|Ohio:OH|Oklahoma:OK|Oregon:OR|Pennsylvania:PA|Rhode Island:RI|' +
  'South Carolina:SC|South Dakota:SD|Tennessee:TN|Texas:TX|Utah:UT|Vermont:VT|Virginia:VA|Washington:WA|West Virginia:WV|' +
  'Wisconsin:WI|Wyoming:WY|United Kingdom:UK'
const codeByState = new Map(CODES.split('|').map(pair => pair.split(':') as [string, string]))

/** Abbreviation of a US state or the United Kingdom: "TX" for Texas. */
export function stateCode(state: string): string | undefined {
  return codeByState.get(state)
}
