export const longestText = 100;

/** Whether the API accepts the text as a search: 1 to 10 words of letters or digits. */
export function isSearch(text: string): boolean {
  const count = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return count > 0 && count <= 10;
}
