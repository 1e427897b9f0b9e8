/**
 * A queue in which groups take turns, and the members of each group among themselves: a group with many members gets no
 * more turns than a group with one.
 */
export class RoundRobin<Member extends { group: string }> {
  /** A Map and a Set keep the order of insertion: what is deleted and set again moves to the end. */
  readonly #groups = new Map<string, Set<Member>>();

  add(member: Member): void {
    const members = this.#groups.get(member.group);
    if (members) members.add(member);
    else this.#groups.set(member.group, new Set([member]));
  }

  remove(member: Member): void {
    const members = this.#groups.get(member.group);
    if (members?.delete(member) && members.size === 0) this.#groups.delete(member.group);
  }

  /** Takes out the next member, of the group that has waited longest; null if there is none. */
  next(): Member | null {
    for (const [group, members] of this.#groups) {
      const [member] = members;
      members.delete(member as Member);
      this.#groups.delete(group);
      if (members.size > 0) this.#groups.set(group, members);
      return member as Member;
    }
    return null;
  }

  /** The group was served elsewhere: its turn is over here too. */
  skip(group: string): void {
    const members = this.#groups.get(group);
    if (!members) return;
    this.#groups.delete(group);
    this.#groups.set(group, members);
  }
}
