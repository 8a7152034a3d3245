const words = (text: string) => new Set(text.trim().split(/\s+/))

/** Grammatical words without content. */
export const FUNCTION_WORDS = words(`
a an the this that these those some any each every either neither both all no not nor
i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs
who whom whose which what when where why how whether if then than as so because since while until unless although though
and or but of in on at to from by with without within into onto over under above below between among through during
before after about around across along near against per via for up down out off
is am are was were be been being do does did done doing have has had having can could will would shall should may might must
let lets let's there here also too just only very much many more most less least such same other another again please
want wants wanted need needs needed like likes would'd i'd i'm i've it's what's who's where's how's that's there's
s t d m re ll ve ok okay hey hi hello thanks thank kindly currently now today using use used given
`)

/** Unspecific request words. They have a low weight in rankings. */
export const GENERIC_WORDS = words(`
get find fetch retrieve give show tell calculate compute determine provide return returns look check search help know
list make create generate perform run lookup obtain display locate identify want need use using function tool
value values number numbers data information info detail details result results specific specified certain particular
based given following provided different various current available new type kind name names one two three
example optional default parameter parameters input output string integer float boolean array object true false
require required include includes including format e.g i.e etc please best good latest top closest nearest nearby near local
`)

/** Words that join requests. */
export const JOINING_WORDS = words(
  'and then also plus additionally finally next lastly afterwards after furthermore moreover',
)

/** Words of order or time. They are not part of names or topics. */
export const ORDER_WORDS = words(
  'last next past previous upcoming following coming recent recently current currently first second third fourth fifth now today',
)
