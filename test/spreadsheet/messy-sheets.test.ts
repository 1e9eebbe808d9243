import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { newStudio } from "./support.ts";
import { buildWorkbook } from "./workbooks.ts";

/**
 * Sheets as owners have them, each with exactly what becomes of it: the people, one a line, and the codes of what is said;
 * or the question that is asked, and what the answer makes of it.
 */

const api = await startApi();

interface Case {
  readonly what: string;
  readonly sheet: string | Uint8Array;
  readonly answers?: Parameters<Awaited<ReturnType<typeof newStudio>>["load"]>[1];
  /** What is asked without the answers. */
  readonly asked?: string;
  /** `name | members that there are` in the order of names. */
  readonly people: readonly string[];
  readonly said?: readonly string[];
}

const latin1 = (text: string) => Buffer.from(text, "latin1");
const bom = (text: string) => `\ufeff${text}`;

const CASES: readonly Case[] = [
  {
    what: "Spanish, Estado says who is active",
    sheet: "Nombre;Estado;Ciudad\nAna;Activo;Rosario\nLuis;Inactivo;Córdoba\n",
    people: ["Ana | active, city Rosario", "Luis | archived, city Córdoba"],
    said: ["column_recognized status"],
  },
  {
    what: "Spanish, Estado with alta and baja",
    sheet: "Nombre;Estado\nAna;Alta\nLuis;Baja\nEva;De baja\n",
    people: ["Ana | active", "Eva | archived", "Luis | archived"],
    said: ["column_recognized status"],
  },
  {
    what: "Spanish, Estado with words that do not say who is active",
    sheet: "Nombre;Estado\nAna;Vigente\nLuis;Vencido\n",
    asked: "faulty status_unknown",
    people: [],
  },
  {
    what: "Spanish, Estado is a state",
    sheet: "Nombre,Estado\nAna,Jalisco\nLuis,Puebla\n",
    people: ["Ana | active, state Jalisco", "Luis | active, state Puebla"],
  },
  {
    what: "Portuguese, Estado beside UF",
    sheet: "Nome;UF;Estado\nAna;SP;Ativa\nBia;RJ;Inativa\n",
    people: ["Ana | active, state SP", "Bia | archived, state RJ"],
    said: ["column_recognized status"],
  },
  {
    what: "Estado is both",
    sheet: "Nome;Estado\nAna;SP\nBia;Inativa\n",
    asked: "state_or_status",
    answers: { columns: new Map([[1, "none"]]) },
    people: ["Ana | active", "Bia | active"],
  },
  {
    what: "Estado is both, far down",
    sheet: `Nome;Estado\n${Array.from({ length: 60 }, (_, i) => `Ana ${i};SP\n`).join("")}Bia;Inativa\n`,
    asked: "state_or_status",
    people: [],
  },
  {
    what: "English, State says who is active",
    sheet: "Name,State\nAnn,active\nBob,inactive\n",
    people: ["Ann | active", "Bob | archived"],
    said: ["column_recognized status"],
  },
  {
    what: "a CEP that lost its zero as a number",
    sheet: "Nome;CEP\nAna;1310100\nBia;05435-000\nCaio;4538132\n",
    people: ["Ana | active, cep 01310100", "Bia | active, cep 05435-000", "Caio | active, cep 04538132"],
    said: ["zeros_restored 2"],
  },
  {
    what: "a zip code that lost its zero",
    sheet: "Name,Zip\nAnn,2134\nBob,10001\n",
    people: ["Ann | active, cep 02134", "Bob | active, cep 10001"],
    said: ["zeros_restored 1"],
  },
  {
    what: "postal codes of which some are shorter, put right",
    sheet: "Nombre,Código postal\nAna,28001\nEva,8001\nLuis,41002\nPau,46003\n",
    asked: "numbers_short",
    answers: { shortNumbers: "zeros" },
    people: [
      "Ana | active, cep 28001",
      "Eva | active, cep 08001",
      "Luis | active, cep 41002",
      "Pau | active, cep 46003",
    ],
    said: ["zeros_restored 1"],
  },
  {
    what: "three postal codes, one of them shorter",
    sheet: "Nombre,C.P.\nAna,6700\nEva,01000\nLuis,44100\n",
    asked: "numbers_short",
    answers: { shortNumbers: "zeros" },
    people: ["Ana | active, cep 06700", "Eva | active, cep 01000", "Luis | active, cep 44100"],
    said: ["zeros_restored 1"],
  },
  {
    what: "documents of which some are shorter, as they are",
    sheet: "Nombre,DNI\nAna,20111222\nEva,9333444\nLuis,30111222\nPau,31111222\n",
    asked: "numbers_short",
    answers: { shortNumbers: "keep" },
    people: [
      "Ana | active, other 20111222",
      "Eva | active, other 9333444",
      "Luis | active, other 30111222",
      "Pau | active, other 31111222",
    ],
  },
  {
    what: "a column Documento of CPFs, one without its zero",
    sheet: "Nome;Documento\nAna;52998224725\nBia;11144477735\nCaio;12345678909\nDora;1234567890\n",
    people: [
      "Ana | active, cpf 52998224725",
      "Bia | active, cpf 11144477735",
      "Caio | active, cpf 12345678909",
      "Dora | active, cpf 01234567890",
    ],
    said: ["cpf_zeros_restored 1"],
  },
  {
    what: "words in the place of a document",
    sheet: `Nome;RG\n${["não tem", "isento", "0", "000", "x", "S/N", "estrangeiro", "CPF", "00.000.000"]
      .flatMap((word) => [`Ana ${word};${word}\n`, `Bia ${word};${word}\n`])
      .join("")}Caio;12.345.678-9\nDora;FN123456\n`,
    people: [
      ...["não tem", "isento", "0", "000", "x", "S/N", "estrangeiro", "CPF", "00.000.000"].flatMap((word) =>
        ["Ana", "Bia"].map((name) => `${name} ${word} | active, notes RG: ${word}`),
      ),
      "Caio | active, other 12.345.678-9",
      "Dora | active, other FN123456",
    ],
    said: ["cells_set_aside document_invalid 18"],
  },
  {
    what: "yes and no in a column Ativo",
    sheet: "Nome;Ativo\nAna;Sim\nBia;Não\nCaio;NÃO\nDora;S\nEva;\n",
    people: ["Ana | active", "Bia | archived", "Caio | archived", "Dora | active", "Eva | active"],
  },
  {
    what: "yes and no in columns Active and Activo",
    sheet: "Name,Active\nAnn,Yes\nBob,No\nCid,TRUE\nDan,0\n",
    people: ["Ann | active", "Bob | archived", "Cid | active", "Dan | archived"],
  },
  {
    what: "a yes that means the opposite",
    sheet: "Nombre;Inactivo (sí/no)\nAna;Sí\nEva;No\n",
    people: ["Ana | archived", "Eva | active"],
  },
  {
    what: "a mark for those who have cancelled",
    sheet: "Nome;Cancelado?\nAna;x\nBia;\nCaio;Cancelado\n",
    people: ["Ana | archived", "Bia | active", "Caio | archived"],
  },
  {
    what: "a mark for those who are active",
    sheet: "Nome;Ativo?\nAna;X\nBia;\nCaio;✔\n",
    people: ["Ana | active", "Bia | archived", "Caio | active"],
    said: ["rows_unmarked 1"],
  },
  {
    what: "a yes for those who are active, and nothing for others",
    sheet: "Nome;Ativo\nAna;Sim\nBia;\n",
    asked: "status_empty",
    answers: { ignore: ["Ativo"] },
    people: ["Ana | active", "Bia | active"],
  },
  {
    what: "a column Ativo that says neither",
    sheet: "Nome;Ativo\nAna;talvez\n",
    asked: "faulty status_unknown",
    people: [],
  },
  {
    what: "question marks in the place of letters",
    sheet: "Nome;Cidade;Obs\nMaria Concei??o;S?o Paulo;vem?ou não\n?lvaro;;\n",
    asked: "letters_garbled",
    answers: { garbled: "keep" },
    people: ["Maria Concei??o | active, city S?o Paulo, notes vem?ou não", "?lvaro | active"],
  },
  {
    what: "question marks in the place of letters, to be repaired",
    sheet: "Nome;Cidade\nAna;S?o Paulo\n",
    asked: "letters_garbled",
    answers: { garbled: "repair" },
    people: ["Ana | active, notes Cidade: S?o Paulo"],
    said: ["cells_set_aside letters_lost 1"],
  },
  {
    what: "question marks that are none of a letter",
    sheet: "Nome;Telefone;Obs\nAna?;?;vem? https://example.com/?a=b\n",
    people: ["Ana? | active, notes vem? https://example.com/?a=b"],
  },
  {
    what: "sums, repeated names of columns and lines without data",
    sheet: bom(
      "Nº;Nome;Telefone\n1;Ana;11 98765-4321\nNº;Nome;Telefone\n2;Bia;\n3;;\n4;-;-\n;TOTAL;2\n;Total geral: 2;\n",
    ),
    people: ["Ana | active, phone 11 98765-4321", "Bia | active"],
    said: ["column_left_out", "rows_no_people 5"],
  },
  {
    what: "lines of a list that are no people",
    sheet: `Nome;E-mail;Telefone\nAna;a@example.com;\n${[
      "Soma;;5",
      "Suma;;",
      "Grand Total;;",
      "Geral;;",
      "Média;;2,5",
      "TOTAL ALUNOS ATIVOS = 5;;",
      "Qtd: 5;;",
      "2 alunos;;",
      "Página 1 de 3;;",
      "Turma 7h;;",
      "Cliente;Mail;Fone",
    ].join("\n")}\nSoma Iyer;s@example.com;\nSuma;suma@example.com;\nTurma da Mônica;;\n`,
    people: [
      "Ana | active, email a@example.com",
      "Soma Iyer | active, email s@example.com",
      "Suma | active, email suma@example.com",
      "Turma da Mônica | active",
    ],
    said: ["rows_no_people 11"],
  },
  {
    what: "an address in several columns",
    sheet:
      "Nº;Nome;Logradouro;Número;Complemento;Bairro;Cidade\n1;Ana;Rua A;12;ap 3;Centro;Santos\n2;Bia;Rua B;;;Sul;\n",
    people: [
      "Ana | active, line1 Rua A, 12, line2 ap 3, Centro, city Santos",
      "Bia | active, line1 Rua B, line2 Sul",
    ],
    said: ["column_left_out", "address_joined", "address_joined"],
  },
  {
    what: "an address in several columns with short names",
    sheet: "Nome;End.;Nº;Bairro\nAna;Rua A;12;Centro\n",
    people: ["Ana | active, line1 Rua A, 12, line2 Centro"],
    said: ["address_joined"],
  },
  {
    what: "a line of the address that is too long",
    sheet: `Nome;Rua;Número\nAna;${"x".repeat(300)};12\n`,
    people: [`Ana | active, notes Rua: ${"x".repeat(300)} / Número: 12`],
    said: ["address_joined", "cells_set_aside too_long 1"],
  },
  {
    what: "two last names",
    sheet: "Apellido paterno;Apellido materno;Nombres\nGarcía;Lima;Ana María\nPérez;;Luis\n",
    people: ["Ana María García Lima | active", "Luis Pérez | active"],
    said: ["names_joined"],
  },
  {
    what: "a middle name",
    sheet: "First Name,Middle Name,Last Name\nAnn,B.,Lee\nBob,,Ray\n",
    people: ["Ann B. Lee | active", "Bob Ray | active"],
    said: ["names_joined"],
  },
  {
    what: "Nombre y apellidos",
    sheet: "Nombre y apellidos;Ciudad\nAna García;Madrid\n",
    people: ["Ana García | active, city Madrid"],
  },
  {
    what: "Apellidos y nombre",
    sheet: "Apellidos y nombre;Ciudad\nGarcía Ana;Madrid\n",
    people: ["García Ana | active, city Madrid"],
  },
  {
    what: "what belongs to somebody else",
    sheet:
      "Nome;Tel. emergência;tel_pai;E-mail mãe;Indicado por;Tel/Whats\nAna;11 98765-4321;11 98765-4322;m@example.com;i@example.com;11987654323\n",
    people: ["Ana | active, phone 11987654323"],
    said: ["column_recognized contactPhone", "column_left_out"],
  },
  {
    what: "CPF/CNPJ, one of them a CNPJ",
    sheet: "Nome;CPF/CNPJ\nAna;529.982.247-25\nClube;11.222.333/0001-81\n",
    people: ["Ana | active, cpf 52998224725", "Clube | active, other 11.222.333/0001-81"],
  },
  {
    what: "a CEP of seven digits that is to be kept",
    sheet: "Nome;CEP\nAna;1310100\n",
    answers: { shortNumbers: "keep" },
    people: ["Ana | active, cep 1310100"],
  },
  {
    what: "postal codes in two parts that lost their zero",
    sheet: "Name,Zip\nAnn,2134-1234\nBob,10001-1234\n",
    people: ["Ann | active, cep 02134-1234", "Bob | active, cep 10001-1234"],
    said: ["zeros_restored 1"],
  },
  {
    what: "a CEP in two parts that lost its zero",
    sheet: "Nome;CEP\nAna;1310-100\nBia;05435-000\n",
    people: ["Ana | active, cep 01310-100", "Bia | active, cep 05435-000"],
    said: ["zeros_restored 1"],
  },
  {
    what: "Estado says who is active, above a repeated heading and a sum",
    sheet: "Nome;Estado\nAna;Ativo\nBia;Inativo\nNome;Estado\nTOTAL;2\n",
    people: ["Ana | active", "Bia | archived"],
    said: ["column_recognized status", "rows_no_people 2"],
  },
  {
    what: "TOTAL beside an empty name",
    sheet: "Plano,Nome,E-mail\nMensal,Ana,\nTOTAL,,\n",
    people: ["Ana | active"],
    said: ["column_left_out", "rows_no_people 1"],
  },
  {
    what: "a person called Total is one",
    sheet: "Nome,E-mail\nMaria Total da Silva,\nTotalina Souza,\n",
    people: ["Maria Total da Silva | active", "Totalina Souza | active"],
  },
  {
    what: "signs for nothing and failed formulas",
    sheet:
      "Nome,Telefone,Cidade,E-mail\nAna,#N/A,#REF!,NULL\nBia,-,########,n/a\nCaio,null,—,#¡VALOR!\nDora,,.,\n",
    people: ["Ana | active", "Bia | active", "Caio | active", "Dora | active"],
    said: ["cells_failed 4"],
  },
  {
    what: "a failed formula in the place of a status is no status",
    sheet: "Nome,Status\nAna,#N/A\nBia,ativo\n",
    asked: "faulty formula_failed",
    people: [],
  },
  {
    what: "a name that is a failed formula is nobody's",
    sheet: "Nome,Telefone\n#N/A,11 98765-4321\n",
    asked: "faulty required",
    people: [],
  },
  {
    what: "letters read in the wrong encoding, repaired",
    sheet: "Nome,Cidade\nJoÃ£o,SÃ£o Paulo\nInÃªs,Niterói\n",
    asked: "letters_garbled",
    answers: { garbled: "repair" },
    people: ["Inês | active, city Niterói", "João | active, city São Paulo"],
  },
  {
    what: "letters read as those of an old Mac",
    sheet: "Nome\nJo√£o\n",
    asked: "letters_garbled",
    answers: { garbled: "repair" },
    people: ["João | active"],
  },
  {
    what: "letters that are lost",
    sheet: "Nome\nJo\ufffdo\n",
    asked: "letters_garbled",
    answers: { garbled: "keep" },
    people: ["Jo\ufffdo | active"],
  },
  {
    what: "names with such letters of their own",
    sheet: "Nome\nÂngela Ãlvares\nJOÃO\nMaÂra\n",
    people: ["JOÃO | active", "MaÂra | active", "Ângela Ãlvares | active"],
  },
  {
    what: "columns that only their content tells",
    sheet:
      "Nome;Tel/Whats;Fale com;Registro\nAna;(11) 98765-4321;ana@example.com;12345678\nBia;11987650000;;87654321\n",
    people: ["Ana | active, email ana@example.com, phone (11) 98765-4321", "Bia | active, phone 11987650000"],
    said: ["column_recognized contactPhone", "column_recognized contactEmail", "column_left_out"],
  },
  {
    what: "a column of phones in which some have none",
    sheet: "Nome,Fone p/ recado\nAna,(11) 98765-4321\nBia,não tem\n",
    people: ["Ana | active, phone (11) 98765-4321", "Bia | active, notes Fone p/ recado: não tem"],
    said: ["column_recognized contactPhone", "cells_set_aside phone_invalid 1"],
  },
  {
    what: "two columns of notes",
    sheet: "Nome,Obs,Notas\nAna,manhã,joelho\nBia,,tarde\n",
    people: ["Ana | active, notes Obs: manhã / Notas: joelho", "Bia | active, notes Notas: tarde"],
    said: ["notes_joined"],
  },
  {
    what: "any column into the notes",
    sheet: "Nome,Profissão\nAna,médica\n",
    answers: { columns: new Map([[1, "notes"]]) },
    people: ["Ana | active, notes Profissão: médica"],
  },
  {
    what: "rows that are equal",
    sheet: "Nome,E-mail\nAna,ana@example.com\nBia,\nAna,ana@example.com\nBia,\n",
    people: ["Ana | active, email ana@example.com", "Bia | active", "Bia | active"],
    said: ["rows_equal 1", "names_equal 1"],
  },
  {
    what: "equal rows with a document",
    sheet: "Nome,CPF\nAna,529.982.247-25\nAna,529.982.247-25\n",
    people: ["Ana | active, cpf 52998224725"],
    said: ["rows_equal 1"],
  },
  {
    what: "cells that cannot be read keep nobody out",
    sheet: latin1(
      "Nome;E-mail;Nascimento;CPF;Telefone\nJoão;joao(a)example;31/02/1988;111.444.777-36;não tem\nMárcia;marcia@example.com;23/04/1990;529.982.247-25;5,5E+11\n",
    ),
    people: [
      "João | active, notes E-mail: joao(a)example / Nascimento: 31/02/1988 / CPF: 111.444.777-36 / Telefone: não tem",
      "Márcia | active, email marcia@example.com, born 1990-04-23, cpf 52998224725, notes Telefone: 5,5E+11",
    ],
    said: [
      "encoding_recognized",
      "cells_set_aside email_invalid 1",
      "cells_set_aside date_invalid 1",
      "cells_set_aside cpf_invalid 1",
      "cells_set_aside phone_invalid 1",
      "cells_set_aside number_shortened 1",
    ],
  },
  {
    what: "failed formulas as programs write them in other languages",
    sheet:
      "Nombre;Ciudad;Notas\nAna;#¿NOMBRE?;#¡VALOR!\nEva;#¡DESBORDAMIENTO!;#vamos!\nLuis;Err:502;#CAMPO!\n",
    people: ["Ana | active", "Eva | active, notes #vamos!", "Luis | active"],
    said: ["cells_failed 5"],
  },
  {
    what: "several phones in one cell",
    sheet: "Nome;Tel/Whats\nAna;(11) 98765-4321\nBia;11 91234 5678 / 11 3456-7890\nCaio;não tem\n",
    people: [
      "Ana | active, phone (11) 98765-4321",
      "Bia | active, phone 11 91234 5678 / 11 3456-7890",
      "Caio | active, notes Tel/Whats: não tem",
    ],
    said: ["column_recognized contactPhone", "cells_set_aside phone_invalid 1"],
  },
  {
    what: "a status under a longer name, and one of payments",
    sheet: "Nome;Situação do aluno;Status do pagamento\nAna;Ativo;Cancelado\nBia;Inativa;Cancelado\n",
    people: ["Ana | active", "Bia | archived"],
    said: ["column_recognized status", "column_left_out"],
  },
  {
    what: "tax numbers, which are no phones",
    sheet: "Nombre;CUIT;Celu\nJuan;20-11122233-4;11 1234-5678\n",
    people: ["Juan | active, phone 11 1234-5678"],
    said: ["column_recognized contactPhone", "column_left_out"],
  },
  {
    what: "a row twice, in another case",
    sheet: "Nome;E-mail\nAna Souza;ana@example.com\nANA SOUZA;Ana@Example.com\n",
    people: ["Ana Souza | active, email ana@example.com"],
    said: ["rows_equal 1"],
  },
  {
    what: "years of two digits, once for all",
    sheet: "Nome,Nasc\nAna,23/04/90\nBia,01/02/05\n",
    asked: "years_two_digits",
    answers: { shortYears: "recent" },
    people: ["Ana | active, born 1990-04-23", "Bia | active, born 2005-02-01"],
  },
  {
    what: "years of two digits, left as they are",
    sheet: "Name,Birthday\nAnn,04/23/90\n",
    asked: "dates_month_first",
    answers: { dates: "mdy", shortYears: "notes" },
    people: ["Ann | active, notes Birthday: 04/23/90"],
    said: ["cells_set_aside year_two_digits 1"],
  },
  {
    what: "a workbook with failed formulas in columns that are read and others",
    sheet: buildWorkbook({
      sheets: [
        {
          name: "Alunos",
          rows: [
            ["Nome", "E-mail", "Idade"],
            ["Ana", { xml: '<c t="e"><v>#REF!</v></c>' }, { xml: '<c t="e"><v>#N/A</v></c>' }],
            ["TOTAL", "", { xml: "<c><v>1</v></c>" }],
          ],
        },
      ],
    }),
    people: ["Ana | active"],
    said: ["column_left_out", "cells_failed 1", "rows_no_people 1"],
  },
];

for (const { what, sheet, answers, asked, people, said = [] } of CASES)
  test(`of a messy sheet nothing is wrong without a word: ${what}`, async () => {
    const studio = await newStudio(api);
    if (asked !== undefined) assert.deepEqual(await studio.refusalCodes(sheet), [asked]);
    if (asked !== undefined && answers === undefined) return;
    const { notices } = await studio.load(sheet, answers);
    const clients = await studio.clients();
    assert.deepEqual(clients.map(tell).sort(), [...people].sort());
    assert.deepEqual(
      notices.map(({ code, params }) => {
        if (code === "cells_set_aside") return `${code} ${params.group.fault.code} ${params.group.count}`;
        if (code === "column_recognized") return `${code} ${params.as}`;
        return "count" in params ? `${code} ${params.count}` : code;
      }),
      said,
    );
  });

function tell(client: Record<string, unknown>): string {
  const { contactName, status, contactEmail, contactPhone, birthdate, idDocument, notes } = client;
  const { line1, line2, city, state, postalCode } = (client.address ?? {}) as Record<string, string>;
  const document = idDocument as { type: string; value: string } | undefined;
  const members: [string, unknown][] = [
    ["email", contactEmail],
    ["phone", contactPhone],
    ["born", birthdate],
    [document?.type ?? "", document?.value],
    ["line1", line1],
    ["line2", line2],
    ["city", city],
    ["state", state],
    ["cep", postalCode],
    ["notes", typeof notes === "string" ? notes.replaceAll("\n", " / ") : undefined],
  ];
  const there = members.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  return `${contactName} | ${[status, ...there].join(", ")}`;
}
