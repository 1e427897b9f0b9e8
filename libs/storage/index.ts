export { createStorage } from './backends/create-storage.ts';
export { sendFile } from './downloads/send-file.ts';
export { createUrlSigner, type LinkedFile, type UrlSigner } from './downloads/signed-urls.ts';
export { openStorage, type StorageSettings, storageSettings } from './open-storage.ts';
export { newKey, type Storage, type StoredFile } from './storage.ts';
export { hashForm } from './uploads/hash-form.ts';
export {
  forgetUploads,
  PendingUploads,
  type RecordedUpload,
} from './uploads/pending-uploads.ts';
export { receiveUpload, type Upload } from './uploads/receive-upload.ts';
export type { UploadedFile } from './uploads/upload-engine.ts';
export type { UploadOptions } from './uploads/upload-options.ts';
