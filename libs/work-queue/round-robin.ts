/** A queue in which groups take turns, and the members of each group among themselves. */
export type RoundRobin<Member> = {
  add(member: Member): void;
  remove(member: Member): void;
  /** Takes out the next member, of the group that has waited longest; null if there is none. */
  take(): Member | null;
  /** The group was served elsewhere: its turn is over here too. */
  skip(group: string): void;
};

/** A group with many members gets no more turns than a group with one. */
export function createRoundRobin<Member extends { group: string }>(): RoundRobin<Member> {
  // A Map and a Set keep the order of insertion: what is deleted and set again moves to the end.
  const groups = new Map<string, Set<Member>>();
  return {
    add(member) {
      const members = groups.get(member.group);
      if (members) members.add(member);
      else groups.set(member.group, new Set([member]));
    },
    remove(member) {
      const members = groups.get(member.group);
      if (members?.delete(member) && members.size === 0) groups.delete(member.group);
    },
    take() {
      for (const [group, members] of groups) {
        const [member] = members;
        groups.delete(group);
        members.delete(member as Member);
        if (members.size > 0) groups.set(group, members);
        return member as Member;
      }
      return null;
    },
    skip(group) {
      const members = groups.get(group);
      if (!members) return;
      groups.delete(group);
      groups.set(group, members);
    },
  };
}
