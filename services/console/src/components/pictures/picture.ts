/** A picture of the API. `id`: that of its file, which never changes. */
export type Picture = {
  id: string;
  name: string;
  /** The address of its thumbnail. */
  thumbnail: string;
  /** Signs a link to the file itself. */
  link: (signal: AbortSignal) => Promise<string>;
};

/** Whether a file is a picture that has a thumbnail: the API gives every file the extension of its content. */
export function isPicture({ name }: { name: string }): boolean {
  return /\.(png|jpe?g|jpe|jfif)$/i.test(name);
}
