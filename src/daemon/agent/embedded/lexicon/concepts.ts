import { stem } from '../text/stem.ts'

/** Groups of interchangeable words in requests and descriptions, one per line. */
const GROUPS = `
movie film cinema
car vehicle automobile
weather forecast temperature humidity rain climate warm cold hot snow wind sunny umbrella
picture image photo photograph
purchase buy order shop
remove delete erase drop discard
add create insert append new make
update modify change edit set alter
send post submit deliver
begin start commence initial
end finish final stop
doctor physician
lawyer attorney
job career occupation position employment profession
salary wage income pay earning
store shop supermarket market
song track music tune
author writer writing written
book novel
price cost fee charge
buy bought purchase paid
sell sold sale
gain profit return earning
lease mortgage credit borrow
rate percentage percent ratio
quick fast
speed velocity
length long distance
height tall high elevation altitude drop
weight weigh heavy mass
width wide
depth deep
age old year
duration period time term long span timeframe
area region zone
route path direction way road
journey trip travel drive itinerary ride
hotel accommodation lodging stay
restaurant dining eatery diner
food meal dish cuisine eat
recipe cook
flight plane airline fly
street road avenue
house home property apartment
city town
country nation
company firm corporation business organization
stock share equity ticker
money cash currency fund
invest deposit principal
reserve book booking reservation schedule
event happening concert festival
meeting appointment event calendar
message email mail text
file document
folder directory
read open view show display
write save store
find search look locate query discover
list enumerate
compare comparison versus
convert translate transform
translate translation language
sum total add
multiply product times
divide quotient
root zero solution solve
hypotenuse pythagorean pythagoras
gcd greatest common divisor hcf
lcm least common multiple
mean average
probability chance odds likelihood
growth increase expansion
decline decrease fall drop reduction
distance far
near nearby close nearest closest
player athlete
team club squad
match game fixture
score result
win victory
artist painter sculptor singer performer band musician
painting artwork
sculpture statue
museum gallery
king queen monarch ruler leader president emperor
war battle conflict
law legal legislation
case lawsuit trial litigation
crime criminal offense
court judge
disease illness condition symptom
medicine drug medication
patient person
calorie energy
exercise workout fitness
diet dietary nutrition nutritional
vegan vegetarian
gene genetic genome
species animal organism
plant flower tree
cell cellular
element chemical substance compound
particle electron proton neutron
gas gasoline fuel
electricity electric electrical power
solar sun
earthquake seismic
population inhabitant resident people
capital
border boundary
university college school
student pupil
exam test
teacher professor
employee worker staff
customer client
product item good
quantity amount number
size dimension
color colour
type kind category genre
name title called named
code id identifier
user account profile
password credential
commit revision
branch
repository repo
issue bug ticket
comment remark
task todo reminder
note memo
web website site page internet online
download fetch
upload
link url
translate
summary summarize abstract
sentiment emotion mood
today current now present
tomorrow future upcoming next
past previous last history historical
year annual annually yearly
month monthly
day daily
week weekly
first initial start
second
instrument guitar piano violin
note pitch tone
chord
zodiac horoscope astrological sign
poker card
chess
dice die
lottery
`

const groupsByStem = new Map<string, number[]>()
GROUPS.trim()
  .split('\n')
  .forEach((line, group) => {
    for (const word of line.split(' ')) {
      const key = stem(word)
      const groups = groupsByStem.get(key) ?? []
      if (!groups.includes(group)) groupsByStem.set(key, [...groups, group])
    }
  })

const NO_CONCEPTS: readonly number[] = []

/** Group numbers of a stem. */
export function conceptsOf(part: string): readonly number[] {
  return groupsByStem.get(part) ?? NO_CONCEPTS
}

/** True if two stems are in the same group. */
export function areRelated(a: string, b: string): boolean {
  if (a === b) return true
  const others = conceptsOf(b)
  return others.length > 0 && conceptsOf(a).some(group => others.includes(group))
}
