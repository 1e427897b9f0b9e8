import type { Binary, Collection, Db } from 'mongodb';

export type FileDocument = {
  _id: string;
  length: number;
  chunkSize: number;
  uploadDate: Date;
  filename: string;
  metadata: { type: string };
  /** The whole content of a small file; a large one has chunks. */
  content?: Binary;
  /** True while the file is written or removed: it does not exist for readers then. */
  unfinished?: boolean;
};
type ChunkDocument = { files_id: string; n: number; data: Binary };
export type Bucket = { files: Collection<FileDocument>; chunks: Collection<ChunkDocument> };

export function bucketOf(db: Db): Bucket {
  return { files: db.collection('fs.files'), chunks: db.collection('fs.chunks') };
}

export async function makeIndexes({ files, chunks }: Bucket): Promise<void> {
  await files.createIndex({ uploadDate: 1 });
  await chunks.createIndex({ files_id: 1, n: 1 }, { unique: true });
}
