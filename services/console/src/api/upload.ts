import { ApiError, errorOf } from './errors.ts';

type Options = {
  /** The same for each try of the same file, so that it is added once. */
  key: string;
  /** `share`: of what is sent, from 0 to 1. */
  onProgress: (share: number) => void;
};

/** Posts a form. Not by `fetch`, which does not say how much of it is sent. @throws ApiError */
export function upload(path: string, form: FormData, { key, onProgress }: Options): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.setRequestHeader('Idempotency-Key', key);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener('error', () => reject(new ApiError('no answer', { status: 0, code: 'no_answer' })));
    request.addEventListener('load', () => (request.status < 300 ? resolve() : reject(refusalOf(request))));
    request.send(form);
  });
}

function refusalOf(request: XMLHttpRequest): ApiError {
  const headers = new Headers();
  for (const name of ['retry-after', 'x-request-id']) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return errorOf({ status: request.status, headers }, jsonOf(request.responseText));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
