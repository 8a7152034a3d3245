/** A unit of measure. `factor`: its size in the base unit of its dimension. */
export interface Unit {
  name: string
  dimension: string
  factor: number
  /** Added after the factor, for temperatures. */
  offset?: number
}

/** One unit per line: dimension, name, factor, spellings (case-sensitive if one or two letters). */
const TABLE = `
length meter 1 m metre metres meters
length kilometer 1000 km kms kilometre kilometres kilometers
length centimeter 0.01 cm centimetre centimetres centimeters
length millimeter 0.001 mm millimetre millimetres millimeters
length micrometer 1e-6 µm um micrometers micron microns
length nanometer 1e-9 nm nanometers nanometre
length mile 1609.344 mi miles
length yard 0.9144 yd yards
length foot 0.3048 ft feet
length inch 0.0254 in. inches
length light-year 9.4607e15 light-years lightyears ly
area square-meter 1 sqm m² m^2 m2
area square-kilometer 1e6 km² km^2 km2
area square-foot 0.09290304 sqft ft² ft^2 ft2
area square-centimeter 1e-4 cm² cm^2 cm2
area acre 4046.8564 acres
area hectare 10000 hectares ha
volume liter 0.001 l L litre litres liters
volume milliliter 1e-6 ml mL millilitre millilitres milliliters
volume cubic-meter 1 m³ m^3 m3
volume cubic-centimeter 1e-6 cm³ cm^3 cm3
volume gallon 0.003785411784 gallons gal
volume cup 0.0002365882 cups
volume tablespoon 1.478676e-5 tablespoons tbsp
volume teaspoon 4.92892e-6 teaspoons tsp
mass kilogram 1 kg kgs kilo kilos kilogrammes kilograms
mass gram 0.001 g gr gramme grammes grams
mass milligram 1e-6 mg milligrams
mass pound 0.45359237 lb lbs pounds
mass ounce 0.0283495 oz ounces
mass ton 1000 tonne tonnes tons
time second 1 s sec secs seconds
time millisecond 0.001 ms milliseconds
time minute 60 min mins minutes
time hour 3600 h hr hrs hours
time day 86400 days
time night 86400 nights
time week 604800 weeks
time month 2629800 months
time year 31557600 yr yrs years
time decade 315576000 decades
temperature celsius 1 °c ℃ centigrade degc
temperature fahrenheit 0.5555555555555556 °f ℉ degf
temperature kelvin 1 K kelvins
angle degree 1 ° deg degs degrees
angle radian 57.29577951308232 rad rads radians
speed meter-per-second 1 m/s mps
speed kilometer-per-hour 0.2777777778 km/h kmh kph kmph
speed mile-per-hour 0.44704 mph
speed knot 0.514444 knots
acceleration meter-per-second-squared 1 m/s^2 m/s² m/s2
force newton 1 N newtons
energy joule 1 J joules
energy kilojoule 1000 kJ kilojoules
energy calorie 4.184 cal calories
energy kilocalorie 4184 kcal kilocalories
energy kilowatt-hour 3.6e6 kWh kwh kilowatt-hours
power watt 1 W watts
power kilowatt 1000 kW kilowatts
power megawatt 1e6 MW megawatts
power horsepower 745.7 hp
pressure pascal 1 Pa pascals
pressure kilopascal 1000 kPa kpa
pressure bar 100000 bars
pressure atmosphere 101325 atm atmospheres
voltage volt 1 V volts
current ampere 1 A amp amps amperes
current milliampere 0.001 mA milliamps
resistance ohm 1 Ω ohms
capacitance farad 1 F farads
capacitance microfarad 1e-6 µF μF uF microfarads
capacitance nanofarad 1e-9 nF nanofarads
capacitance picofarad 1e-12 pF picofarads
inductance henry 1 H henries henrys
inductance millihenry 0.001 mH millihenries
inductance microhenry 1e-6 µH μH uH
charge coulomb 1 C coulombs
frequency hertz 1 Hz hz
frequency kilohertz 1000 kHz khz
frequency megahertz 1e6 MHz mhz
frequency gigahertz 1e9 GHz ghz
storage byte 1 B bytes
storage kilobyte 1000 KB kB kilobytes
storage megabyte 1e6 MB megabytes
storage gigabyte 1e9 GB gigabytes
storage terabyte 1e12 TB terabytes
amount mole 1 mol moles
picture pixel 1 px pixels
economy mile-per-gallon 1 mpg
money usd 1 dollars dollar usd bucks
money eur 1 euros euro eur
money gbp 1 gbp sterling
money jpy 1 yen jpy
money cny 1 yuan cny rmb
money inr 1 rupees rupee inr
money cad 1 cad
money aud 1 aud
money chf 1 chf francs
ratio percent 1 % percent percents pct percentage
`

const OFFSETS: Record<string, number> = { kelvin: -273.15, fahrenheit: -17.77777777777778 }

const units = new Map<string, Unit>()
const bySpelling = new Map<string, Unit>()
for (const line of TABLE.trim().split('\n')) {
  const [dimension, name, factor, ...spellings] = line.split(' ') as [string, string, string, ...string[]]
  const unit: Unit = { name, dimension, factor: Number(factor), offset: OFFSETS[name] }
  units.set(name, unit)
  for (const spelling of [name, ...spellings]) bySpelling.set(spelling, unit)
}

export const CURRENCY_MARKS: Record<string, string> = {
  $: 'usd',
  '€': 'eur',
  '£': 'gbp',
  '¥': 'jpy',
  '₹': 'inr',
}

export function unitNamed(name: string): Unit | undefined {
  return units.get(name)
}

/** Finds a unit by its spelling. Spellings of one or two letters are case-sensitive ("m", "K", "mA"). */
export function unitOf(word: string): Unit | undefined {
  const exact = bySpelling.get(word)
  if (exact) return exact
  return word.length > 2 || word.includes('°') ? bySpelling.get(word.toLowerCase()) : undefined
}

/** Conventional lengths of months and years. */
const CALENDAR: Record<string, Record<string, number>> = {
  month: { day: 30, week: 4 },
  year: { month: 12, day: 365, week: 52 },
}

/** Converts a value to another unit of the same dimension and removes floating-point noise. */
export function convert(value: number, from: Unit, to: Unit): number {
  if (from === to || from.dimension !== to.dimension) return value
  const calendar = CALENDAR[from.name]?.[to.name]
  if (calendar) return value * calendar
  const base = value * from.factor + (from.offset ?? 0)
  return Number(((base - (to.offset ?? 0)) / to.factor).toPrecision(12))
}
