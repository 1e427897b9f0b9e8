declare module 'hoodiecrow-imap' {
  type Options = {
    plugins?: string[];
    users?: Record<string, { password: string }>;
    storage?: Record<string, object>;
  };
  type Message = { uid: number; flags: string[]; raw: string };
  // biome-ignore lint/style/noDefaultExport: as the package has it
  export default function hoodiecrow(options: Options): {
    server: import('node:net').Server;
    listen(port: number, host: string, done: () => void): void;
    close(done: () => void): void;
    appendMessage(mailbox: string, flags: string[], date: null, raw: string): void;
    getMailbox(name: string): { messages: Message[] };
  };
}
