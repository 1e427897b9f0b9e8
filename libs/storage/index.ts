export { createStorage } from './create-storage.ts';
export { attachment, cleanFileName } from './file-name.ts';
export { detectFileType, type FileType } from './file-type.ts';
export { createLinks, type LinkedFile, type Links } from './links.ts';
export { receiveUpload, type Upload } from './receive-upload.ts';
export { sendFile } from './send-file.ts';
export type { ByteRange, Storage, StoredFile } from './storage.ts';
export type { UploadedFile } from './upload-engine.ts';
export type { UploadOptions } from './upload-options.ts';
