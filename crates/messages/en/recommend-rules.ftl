### The rules by which a store is chosen: when each applies, what it answers, and why.

recommendation-rule-too-few-rounds-when = stores completed the deciding phases, but in fewer than three rounds

recommendation-rule-too-few-rounds-then = inconclusive, with a command for enough rounds

recommendation-rule-too-few-rounds-why = one or two values have no interval, so a difference may be chance

recommendation-rule-nobody-through-when = no store is ranked in every deciding phase

recommendation-rule-nobody-through-then = no store, with the reason for each

recommendation-rule-nobody-through-why = a store that loses rows, answers wrongly or fails is never the least bad choice

recommendation-rule-none-for-them-when = several machines will use the store, and only libraries were measured

recommendation-rule-none-for-them-then = no store, with the servers that can be measured

recommendation-rule-none-for-them-why = only the program that contains a library can use it

recommendation-rule-none-enough-when =
    there is a need or an objective, and no store meets it in every phase.
    On an unstable machine: no store meets a quarter of it

recommendation-rule-none-enough-then = no store, with the nearest one, how far each is away, and what may help

recommendation-rule-none-enough-why =
    the nearest store is not enough: more connections, less durability or another design are needed

recommendation-rule-all-enough-when =
    there is a need or an objective, and every store meets it in every phase.
    On an unstable machine: each meets it four times over, and the plain choice was measured

recommendation-rule-all-enough-then =
    the plain choice if it was measured, else the least slow store that still has releases

recommendation-rule-all-enough-why = where the slowest store is fast enough, what a store is decides, not its speed

recommendation-rule-only-one-when =
    only one store qualifies. On an unstable machine: it also meets any need four times over

recommendation-rule-only-one-then = that store, with those that can be measured beside it

recommendation-rule-only-one-why = there was nothing to compare with, or no other store qualifies

recommendation-rule-unstable-when = the machine was unstable, or other runs of Kurabe were active

recommendation-rule-unstable-then =
    inconclusive, with who had the best mean, what is certain anyway, and the command to retry

recommendation-rule-unstable-why = a store may lead because the others were measured in worse moments

recommendation-rule-first-everywhere-when = exactly one store is first, alone or tied, in every deciding phase

recommendation-rule-first-everywhere-then = that store

recommendation-rule-first-everywhere-why = it is behind in no mix of these phases

recommendation-rule-level-everywhere-when =
    several stores tie for first in every deciding phase, and are equivalent to the best (20 %, or --equivalent)

recommendation-rule-level-everywhere-then = any of them, the plain choice first, with what else differs

recommendation-rule-level-everywhere-why = nobody notices so small a difference in use

recommendation-rule-not-told-apart-when =
    several stores tie for first in every deciding phase, but may differ by more.
    The plain choice is not among them, or may be over three times slower

recommendation-rule-not-told-apart-then =
    inconclusive, with who had the best mean and the command for more rounds.
    Of one store through several clients: that store

recommendation-rule-not-told-apart-why = a tie is not equality: this run can detect large differences only

recommendation-rule-first-in-the-mix-when =
    different stores lead, and some phases mix reads and writes.
    In all of these one store is at least 1.2 times as fast as any other, and none keeps more

recommendation-rule-first-in-the-mix-then = that store, with the better one for each other phase

recommendation-rule-first-in-the-mix-why = a mix of reads and writes is closest to what services do

recommendation-rule-plain-near-best-when =
    no store is first in every phase, or several tie that may differ.
    The plain choice is nowhere over three times slower than the best

recommendation-rule-plain-near-best-then = the plain choice, with the better one for each phase

recommendation-rule-plain-near-best-why =
    few programs notice that, and the plain choice costs least to run, to hire for and to leave

recommendation-rule-least-behind-when = different stores lead in different phases, and no rule above applies

recommendation-rule-least-behind-then =
    the store whose weakest phase is least behind those that keep no less, with the better one for each phase

recommendation-rule-least-behind-why =
    without knowing the mix of work, only the smallest loss in the worst case can be promised
