import { stem } from '../text/stem.ts'

/** Kinds of things with well-known members, such as "jazz" for genre. */
const TABLE = `
religion: christianity islam judaism hinduism buddhism sikhism taoism confucianism catholicism protestantism shinto zoroastrianism jainism
color colour: red blue green yellow black white orange purple pink brown gray grey magenta cyan navy teal turquoise violet indigo gold silver beige maroon crimson
genre music: jazz rock pop classical blues country folk metal punk reggae soul funk disco techno house electronic opera hip-hop rap indie drama comedy action thriller horror romance fantasy sci-fi mystery documentary animation adventure biography western fiction
cuisine food diet restaurant: italian chinese japanese thai indian mexican french greek korean vietnamese spanish turkish lebanese american mediterranean ethiopian sushi vegan vegetarian gluten-free keto paleo halal kosher
language: english french german spanish italian portuguese chinese mandarin cantonese japanese korean russian arabic hindi dutch swedish polish turkish greek hebrew vietnamese thai latin ukrainian
instrument: piano guitar violin drums flute cello trumpet saxophone clarinet ukulele bass keyboard harp trombone viola
material metal substance element: copper aluminum aluminium iron steel gold silver lead zinc nickel titanium wood plastic glass rubber bronze marble stone granite terracotta concrete paper leather cotton water ice oxygen hydrogen nitrogen helium carbon sodium chlorine methane ethanol
planet body: mercury venus earth mars jupiter saturn uranus neptune pluto moon sun
sport: soccer football basketball baseball tennis hockey cricket golf rugby volleyball swimming cycling boxing badminton athletics skiing chess
company stock brand: apple google microsoft amazon tesla facebook meta netflix nvidia intel ibm oracle samsung sony toyota ford bmw nike adidas walmart starbucks disney uber airbnb twitter alphabet amd boeing
platform console: facebook twitter instagram youtube linkedin tiktok spotify netflix reddit playstation xbox nintendo steam whatsapp slack
animal species: dog cat lion tiger elephant bear wolf fox rabbit horse cow sheep goat pig chicken duck eagle panda whale dolphin shark snake frog turtle monkey gorilla giraffe zebra deer human
sign zodiac: aries taurus gemini cancer leo virgo libra scorpio sagittarius capricorn aquarius pisces
season: spring summer autumn winter fall
organ organelle: heart liver kidney lung brain stomach mitochondria nucleus ribosome chloroplast
molecule: dna rna atp glucose insulin hemoglobin
transport transportation mode vehicle: car bus train bicycle bike walking walk driving drive cycling plane subway metro tram taxi ferry transit
energy fuel source: solar wind nuclear hydro coal gas oil diesel gasoline petrol electric renewable geothermal biomass hybrid
frequency interval period: daily weekly monthly quarterly yearly annually hourly semiannually
crime: theft robbery murder fraud assault burglary arson violent property
specialty department: cardiology dermatology neurology pediatrics orthopedics oncology psychiatry radiology surgery gynecology divorce criminal civil
weather condition: sunny cloudy rainy snowy stormy windy foggy
shape: circle triangle square rectangle pentagon hexagon sphere cube cylinder cone
meal dish: pizza pasta burger salad soup sandwich steak curry cake cookie bread rice noodles
fruit product: apple banana orange grape strawberry avocado tomato potato carrot milk cheese eggs butter
day: monday tuesday wednesday thursday friday saturday sunday
month: january february march april may june july august september october november december
position role: goalkeeper defender midfielder forward striker guard center pitcher quarterback
size: small medium large tiny huge xl
level difficulty: easy medium hard beginner intermediate advanced expert
gender sex: male female man woman
priority: low medium high urgent critical
status state: open closed active inactive pending completed done ongoing settled dismissed resolved
`

const members = new Map<string, Set<string>>()
for (const line of TABLE.trim().split('\n')) {
  const [kinds, words] = line.split(': ') as [string, string]
  for (const kind of kinds.split(' ')) {
    const set = members.get(stem(kind)) ?? new Set()
    for (const word of words.split(' ')) set.add(stem(word))
    members.set(stem(kind), set)
  }
}

/** True if a word is a known member of a kind, both given as stems. Undefined for an unknown kind. */
export function isMember(kind: string, word: string): boolean | undefined {
  return members.get(kind)?.has(word)
}

const KINDS_BY_WORD = new Map<string, string[]>()
for (const [kind, words] of members)
  for (const word of words) KINDS_BY_WORD.set(word, [...(KINDS_BY_WORD.get(word) ?? []), kind])

export function kindsOf(word: string): string[] {
  return KINDS_BY_WORD.get(word) ?? []
}
