import { AppError } from '@app/kernel';
import fc from 'fast-check';
import { decodeContent, encodeMessage } from '../../libs/messaging/message.ts';
import { checkProperty } from './check-property.ts';

const event = fc.record({
  id: fc.string({ unit: 'binary', maxLength: 400 }),
  type: fc.string({ maxLength: 300 }),
  requestid: fc.option(fc.string({ unit: 'binary', maxLength: 300 }), { nil: undefined }),
  data: fc.jsonValue(),
});

test('an event arrives as it was published, and every header fits into a frame', () => {
  checkProperty(
    fc.property(event, (published) => {
      const { content, properties } = encodeMessage(published);
      expect(decodeContent(content)).toEqual(JSON.parse(JSON.stringify(published)));
      const { messageId, type, headers } = properties;
      for (const text of [messageId, type, ...Object.values(headers)])
        expect(Buffer.byteLength(text ?? '')).toBeLessThanOrEqual(255);
    }),
  );
});

test('any bytes are decoded, or are an invalid message', () => {
  checkProperty(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        decodeContent(Buffer.from(bytes));
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        expect(error).toMatchObject({ kind: 'invalid', code: 'message_invalid' });
      }
    }),
  );
});
