/** Large cities by state or country. */
const TABLE = `
California:Los Angeles|San Francisco|San Diego|San Jose|Sacramento|Oakland|Palo Alto|Fresno|Berkeley
Texas:Houston|Dallas|Austin|San Antonio|Fort Worth|El Paso
New York:New York|New York City|Buffalo|Rochester|Albany|Brooklyn|Manhattan
Florida:Miami|Orlando|Tampa|Jacksonville
Illinois:Chicago|Springfield
Washington:Seattle|Spokane
Massachusetts:Boston|Cambridge
Pennsylvania:Philadelphia|Pittsburgh
Georgia:Atlanta
Colorado:Denver|Boulder
Nevada:Las Vegas|Reno
Arizona:Phoenix|Tucson
Michigan:Detroit
Minnesota:Minneapolis
Ohio:Columbus|Cleveland|Cincinnati
Tennessee:Nashville|Memphis
Louisiana:New Orleans
Utah:Salt Lake City
Missouri:St. Louis|Kansas City
North Carolina:Charlotte|Raleigh
Maryland:Baltimore
Wisconsin:Milwaukee|Madison
Hawaii:Honolulu
France:Paris|Lyon|Marseille|Nice
Germany:Berlin|Munich|Hamburg|Frankfurt|Cologne
Italy:Rome|Milan|Venice|Florence|Naples
Spain:Madrid|Barcelona|Seville|Valencia
United Kingdom:London|Manchester|Edinburgh|Glasgow|Liverpool|Birmingham
Netherlands:Amsterdam|Rotterdam
Belgium:Brussels
Austria:Vienna
Switzerland:Zurich|Geneva
Portugal:Lisbon|Porto
Greece:Athens
Ireland:Dublin
Sweden:Stockholm
Norway:Oslo
Denmark:Copenhagen
Finland:Helsinki
Poland:Warsaw|Krakow
Russia:Moscow|Saint Petersburg
Turkey:Istanbul|Ankara
Japan:Tokyo|Osaka|Kyoto
China:Beijing|Shanghai|Shenzhen
South Korea:Seoul
India:Mumbai|Delhi|New Delhi|Bangalore|Chennai|Kolkata
Thailand:Bangkok
Australia:Sydney|Melbourne|Brisbane|Perth
Canada:Toronto|Vancouver|Montreal|Ottawa
Brazil:Rio de Janeiro|São Paulo|Sao Paulo
Mexico:Mexico City
Argentina:Buenos Aires
Egypt:Cairo
South Africa:Cape Town|Johannesburg
United Arab Emirates:Dubai|Abu Dhabi
`

const regions = new Map<string, string>()
for (const line of TABLE.trim().split('\n')) {
  const [region, cities] = line.split(':') as [string, string]
  for (const city of cities.split('|')) regions.set(city, region)
}

/** The US state or the country of a large city. */
export function regionOf(city: string): string | undefined {
  return regions.get(city)
}
