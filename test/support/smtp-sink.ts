import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Status codes of commands that differ from the usual one. */
const ANSWERS: Readonly<Record<string, number>> = { DATA: 354, QUIT: 221, STARTTLS: 454 };

/** A mail server without TLS that accepts every mail, with configurable answers. */
export class SmtpSink {
  /** Mails as they were sent, headers first. */
  readonly mails: string[] = [];
  /** Those of the mails that it accepted. */
  readonly accepted: string[] = [];
  /** All lines from clients other than their mails. */
  readonly commands: string[] = [];
  /** Its answer to a mail; or it says nothing at all, or nothing after receiving the mail. */
  answer: number | 'hold' | 'swallow' = 250;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(): Promise<SmtpSink> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sink = new SmtpSink(server, (server.address() as AddressInfo).port);
    server.on('connection', (socket) => sink.serve(socket));
    return sink;
  }

  /** Refuses connections until {@link comeBack}. */
  async leave(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }

  /** Listens at its old port. */
  async comeBack(): Promise<void> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    if (this.server.listening) await this.leave();
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    if (this.answer === 'hold') return;
    let text = '';
    let isMail = false;
    socket.write('220 sink\r\n');
    socket.on('data', (piece) => {
      text += piece.toString();
      for (;;) {
        const mark = isMail ? '\r\n.\r\n' : '\r\n';
        const end = text.indexOf(mark);
        if (end < 0) return;
        const said = text.slice(0, end);
        text = text.slice(end + mark.length);
        if (isMail) this.mails.push(said);
        else this.commands.push(said);
        const code: SmtpSink['answer'] = isMail ? this.answer : (ANSWERS[said] ?? 250);
        if (isMail && code === 250) this.accepted.push(said);
        isMail = said === 'DATA' && !isMail;
        if (typeof code === 'number') socket.write(`${code} said\r\n`);
      }
    });
  }
}

/** The decoded part of a mail that has a content type, without its headers; empty if there is none. */
export function readPart(mail: string, type: string): string {
  const [, head = '', body = ''] =
    new RegExp(`Content-Type: ${type}([^]*?)\\r\\n\\r\\n([^]*?)\\r\\n--`).exec(mail) ?? [];
  if (head.includes('base64')) return Buffer.from(body, 'base64').toString();
  const decode = (bytes: string): string => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString();
  return body.replaceAll('=\r\n', '').replaceAll(/(?:=[\dA-F]{2})+/g, decode);
}
