/**
 * The places for calls that a process makes at the same time. An endpoint that does not respond keeps its place for 15
 * seconds. So a team has a part of the places only, and endpoints whose last call failed have places of their own:
 * neither the dead endpoints of all teams nor those of one team delay endpoints that respond.
 */
const PLACES = 40;
const PLACES_OF_FAILING = 20;
const PLACES_OF_TEAM = 10;

export interface PlaceHolder {
  teamId: number;
  /** True if the last call of the endpoint failed. */
  isFailing: boolean;
}

export interface FreePlaces {
  isFailing: boolean;
  count: number;
  /** The most that one team can have, those that it has included. */
  perTeam: number;
  /** How many places each team has. */
  taken: Map<number, number>;
}

/** Returns the places for endpoints that respond, and those for failing ones, where some are free. */
export function findFreePlaces(running: Iterable<PlaceHolder>): FreePlaces[] {
  const holders = [...running];
  const kinds = [
    { isFailing: false, places: PLACES },
    { isFailing: true, places: PLACES_OF_FAILING },
  ];
  return kinds.flatMap(({ isFailing, places }) => {
    const own = holders.filter((holder) => holder.isFailing === isFailing);
    const taken = new Map<number, number>();
    for (const { teamId } of own) taken.set(teamId, (taken.get(teamId) ?? 0) + 1);
    const count = places - own.length;
    return count > 0 ? [{ isFailing, count, perTeam: PLACES_OF_TEAM, taken }] : [];
  });
}
