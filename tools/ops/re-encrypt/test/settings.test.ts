import { loadReEncryptSettings } from '../re-encrypt.ts';

test('re-encrypt needs the database and the keys alone', () => {
  const MONGODB_URL = 'mongodb://127.0.0.1:27017';
  const CREDENTIALS_KEYS = `2026:${Buffer.alloc(32, 1).toString('base64')}`;
  expect(loadReEncryptSettings({ MONGODB_URL, CREDENTIALS_KEYS })).toMatchObject({ MONGODB_URL });
  expect(() => loadReEncryptSettings({ MONGODB_URL })).toThrow('CREDENTIALS_KEYS');
});
