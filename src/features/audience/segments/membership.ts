const MEMBERSHIP = /^seg_[0-9a-z]{26}$/;

/** Returns true if the property of a contact marks it as a member of a segment (member-segments.ts). */
export function isMembership(property: string): boolean {
  return MEMBERSHIP.test(property);
}
