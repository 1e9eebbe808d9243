import { LISTED_NAMES, type Words } from "./language.ts";
import { capitalized, wordGroup } from "./sentences.ts";

const number = (value: number) => value.toLocaleString("pt-BR");
const count = (value: number, one: string, several: string) =>
  `${number(value)} ${value === 1 ? one : several}`;
const listed = (names: readonly string[]) => {
  const all = names.slice(0, LISTED_NAMES).join(", ");
  return names.length > LISTED_NAMES ? `${all} e mais ${number(names.length - LISTED_NAMES)}` : all;
};
const quoted = (names: readonly string[]) => listed(names.map((name) => `"${name}"`));
const RECOGNIZED = {
  contactPhone: "telefone",
  contactEmail: "e-mail",
  cpf: "CPF",
  status: "situação",
} as const;

export const portuguese: Words = {
  faults: {
    required: () => "é obrigatório e está vazio",
    too_long: ({ max }) => `deve ter no máximo ${max} caracteres`,
    characters_invalid: () => "tem quebras de linha ou caracteres de controle",
    email_invalid: () => "não é um e-mail",
    cpf_invalid: () => "não é um CPF válido",
    date_invalid: () => "não é uma data; escreva DD/MM/AAAA ou AAAA-MM-DD",
    date_number: () => "é um número, não uma data; formate a coluna como data e salve de novo",
    year_two_digits: () => "tem ano de dois dígitos, como em 01/02/90; escreva quatro",
    birthdate_out_of_range: ({ min }) => `deve estar entre ${min} e hoje`,
    number_shortened: () =>
      "foi abreviado pela planilha, como em 5,29982E+10; formate a coluna como texto e digite de novo",
    status_unknown: () => "deve ser ativo ou arquivado",
    location_required: () => "não diz a unidade",
    location_unknown: ({ name }) => `"${name}" não é uma unidade da organização`,
    location_ambiguous: ({ name }) => `"${name}" é o nome de várias unidades; escreva o id da unidade`,
    document_invalid: () => "não é o número de um documento",
    document_repeated: () => "é também o documento de uma linha acima",
    id_invalid: () => "não é o id de um cliente; deixe vazio para um novo",
    id_repeated: () => "é também o id de uma linha acima",
    client_erased: () => "é o id de um cliente cujos dados foram apagados",
    phone_invalid: () => "não é um telefone",
    letters_lost: () => "tem letras perdidas, como em Jo\ufffdo; escreva o texto de novo",
    cells_beyond_header: () => "tem valores em colunas sem nome; dê nome às colunas ou esvazie as células",
    formula_failed: () => "tem uma fórmula com erro",
    formula_without_value: () =>
      "tem uma fórmula que nunca foi calculada; abra o arquivo, salve e tente de novo",
    invalid: () => "não é válido",
  },
  questions: {
    organization_missing: () => "Uma planilha não diz a organização: informe qual com --org ID.",
    sheet_empty: () => "A planilha está vazia: uma linha deve dar nome às colunas.",
    not_text: () => "O arquivo não é planilha nem bundle: salve a planilha como .xlsx ou CSV.",
    old_excel: () =>
      "O arquivo é do formato antigo do Excel (.xls) ou tem senha: salve como .xlsx sem senha, ou como CSV.",
    open_document: () => "O arquivo é uma planilha OpenDocument (.ods): salve como .xlsx ou CSV.",
    web_page: () =>
      "O arquivo é uma página da web ou XML, seja qual for o nome: abra na planilha e salve como .xlsx.",
    archive: () => "O arquivo é um pacote sem planilha dentro: descompacte primeiro.",
    encoding_mixed: ({ line }) =>
      `A linha ${line} tem um caractere que não é UTF-8, e outras linhas são UTF-8: corrija essa linha ou informe --encoding.`,
    encoding_unclear: ({ line }) =>
      `A linha ${line} tem um caractere de codificação incerta: salve o arquivo como UTF-8 ou informe --encoding windows-1252 ou macintosh.`,
    encoding_wrong: ({ encoding }) => `O arquivo não é ${encoding}, como diz --encoding.`,
    quote_misplaced: ({ line }) =>
      `A linha ${line} tem aspas fora do lugar: retire-as, ou ponha a célula entre aspas e dobre as de dentro.`,
    row_endless: ({ row }) =>
      `A linha ${row} da planilha não termina: faltam aspas de fechamento, provavelmente.`,
    row_too_long: ({ row, max }) =>
      `A linha ${row} tem mais de ${number(max)} caracteres: provavelmente faltam aspas de fechamento, ou uma célula tem um documento inteiro.`,
    sheet_too_large: () =>
      "O arquivo demora demais para ser lido: retire linhas vazias, outras planilhas e colunas que não são dos clientes, ou divida-o.",
    delimiter_unclear: () =>
      'O que separa as colunas não é certo: informe --delimiter ",", --delimiter ";" ou --delimiter tab.',
    single_column_divided: ({ row }) =>
      `A primeira linha dá nome a uma só coluna, mas a linha ${row} parece dividida em várias: informe --delimiter none se é uma coluna só; senão, dê nome às outras.`,
    columns_too_many: ({ max }) =>
      `A linha que dá nome às colunas tem mais de ${max}: retire as que não são dos clientes.`,
    rows_too_many: ({ max }) => `A planilha tem mais de ${number(max)} linhas.`,
    name_column_missing: () => "Nenhuma coluna é o nome do cliente: chame uma delas de Nome.",
    columns_same: ({ first, second }) =>
      first === second
        ? `Duas colunas se chamam "${first}": dê outro nome a uma delas.`
        : `As colunas "${first}" e "${second}" dizem a mesma coisa: deixe uma de fora, por exemplo com --ignore "${second}".`,
    documents_two: ({ first, second }) =>
      `Um cliente tem um só documento, e as colunas "${first}" e "${second}" são dois: deixe um de fora, por exemplo com --ignore "${second}".`,
    id_column_unclear: ({ column }) =>
      `A coluna "${column}" pode ser um número da sua lista ou um documento: chame-a de Documento se for um, senão informe --ignore "${column}".`,
    download_garbled: ({ row, column }) =>
      `A linha ${row} tem em "${column}" letras que a planilha leu com outra codificação, como JoÃ£o em vez de João: baixe o arquivo de novo, abra-o como UTF-8 (ou peça csv=excel) e repita as alterações.`,
    download_columns_changed: ({ missing }) =>
      `O arquivo é um download de clientes cujas colunas foram alteradas, e suas linhas não podem ser associadas aos clientes: mantenha exatamente as colunas, na ordem e com os nomes originais${missing.length > 0 ? ` (faltam: ${quoted(missing)})` : ""}.`,
    ignored_column_unknown: ({ column }) => `Não há a coluna "${column}", que --ignore menciona.`,
    letters_garbled: ({ row, column }) =>
      `A linha ${row} tem em "${column}" letras lidas com outra codificação, como JoÃ£o em vez de João: informe --garbled repair para corrigir essas letras, --garbled keep para deixá-las como estão.`,
    state_or_status: ({ row, column }) =>
      `A coluna "${column}"${row === undefined ? "" : ` na linha ${row}`} diz quem está ativo, e em outras linhas pode ser parte do endereço: chame-a de Situação, ou retire essas palavras e chame-a de UF.`,
    status_empty: ({ row, column }) =>
      `A linha ${row} não tem nada em "${column}", onde outras dizem sim: escreva sim ou não em todas as linhas, ou deixe a coluna de fora com --ignore "${column}".`,
    numbers_short: ({ row, column, digits }) =>
      `A linha ${row} tem em "${column}" um número mais curto que os outros, que têm ${digits} dígitos: informe --short-numbers zeros se a planilha tirou zeros à esquerda, --short-numbers keep se não.`,
    years_two_digits: ({ row, column }) =>
      `A linha ${row} tem em "${column}" um ano de dois dígitos: informe --short-years recent para ler 90 como 1990 e 05 como 2005 em todas as linhas, --short-years notes para guardar essas datas nas observações.`,
    dates_month_first: ({ row, column }) =>
      `A linha ${row} tem em "${column}" uma data cujo mês não existe se o dia vem primeiro: informe --dates mdy se o mês vem primeiro, --dates dmy se essa linha está errada.`,
    locations_missing: ({ organizationId }) =>
      `A organização ainda não tem unidade; crie uma antes: rollbook location create --org ${organizationId} --name NOME`,
    location_column_missing: ({ known }) =>
      `A organização tem várias unidades, por isso é preciso uma coluna Unidade, ou --location NOME para todas as linhas. Existem: ${listed(known)}.`,
    location_flag_unknown: ({ known }) => `--location não é uma unidade. Existem: ${listed(known)}.`,
    workbook_damaged: () => "A pasta de trabalho está danificada: abra na planilha e salve de novo.",
    workbook_too_large: () => "A pasta de trabalho é grande demais para ser lida: salve a planilha como CSV.",
    worksheet_unknown: ({ known }) => `A pasta de trabalho não tem essa planilha. Existem: ${listed(known)}.`,
    cells_merged: ({ range, count: areas }) =>
      `Há células mescladas em várias linhas (${range}${areas > 1 ? ` e mais ${areas - 1}` : ""}), e as linhas abaixo da primeira ficam sem valor: desfaça a mesclagem e preencha.`,
  },
  remarks: {
    column_left_out: ({ columns }) => `Colunas que não são conhecidas ficaram de fora: ${quoted(columns)}.`,
    column_recognized: ({ column, as }) =>
      `A coluna "${column}" foi entendida como ${RECOGNIZED[as]} pelo que contém.`,
    notes_joined: ({ columns }) => `As observações são formadas por ${quoted(columns)}.`,
    zeros_restored: ({ count: rows }) =>
      `${count(rows, "linha tinha", "linhas tinham")} um CEP ou documento que perdeu zeros à esquerda; eles foram repostos.`,
    cells_failed: ({ count: cells }) =>
      `${count(cells, "célula mostra", "células mostram")} um erro como #N/D ou ######## e ${cells === 1 ? "foi entendida como vazia" : "foram entendidas como vazias"}.`,
    cells_set_aside: ({ group }) => {
      const { location, message } = wordGroup(group, portuguese);
      return `${capitalized(location)}: ${message}. ${group.count === 1 ? "A pessoa entra" : "As pessoas entram"} sem esse dado; o texto da célula fica nas observações.`;
    },
    rows_no_people: ({ count: all, rows }) =>
      `Ficaram de fora por não serem pessoas (somas, nomes de colunas repetidos, linhas sem dados): ${portuguese.place(rows, all - rows.length, undefined)}.`,
    rows_equal: ({ count: all, rows }) =>
      `Ficaram de fora por repetirem uma linha acima: ${portuguese.place(rows, all - rows.length, undefined)}.`,
    names_equal: ({ count: all, rows }) =>
      `Mesmo nome que acima, sem nada que distinga as pessoas; entendido como outra pessoa: ${portuguese.place(rows, all - rows.length, undefined)}.`,
    names_kept: ({ count: all, rows }) =>
      `Uma parte do nome está vazia e o resto não está no nome guardado, que foi mantido: ${portuguese.place(rows, all - rows.length, undefined)}.`,
    rows_unmarked: ({ count: all, rows }) =>
      `Tidos como arquivados por não terem a marca que outros têm: ${portuguese.place(rows, all - rows.length, undefined)}.`,
    rows_above_header: ({ count: rows }) =>
      `${count(rows, "linha acima dos nomes das colunas ficou", "linhas acima dos nomes das colunas ficaram")} de fora.`,
    encoding_recognized: ({ encoding }) => `O arquivo foi lido como ${encoding}.`,
    phones_several: ({ columns }) =>
      `Um cliente tem um telefone: o primeiro preenchido de ${quoted(columns)}. Os outros ficam nas observações.`,
    address_joined: ({ columns }) => `O endereço é formado por ${quoted(columns)}.`,
    names_joined: ({ columns }) => `O nome é formado por ${quoted(columns)}.`,
    cpf_zeros_restored: ({ count: rows }) =>
      `${count(rows, "CPF tinha perdido", "CPFs tinham perdido")} zeros à esquerda; os dígitos verificadores confirmam os que foram repostos.`,
    numbers_ignored: ({ count: rows }) =>
      `${count(rows, "linha tem", "linhas têm")} números onde está guardado um texto com zero inicial ou sinal de mais; os textos guardados foram mantidos.`,
    dates_read_day_first: () =>
      "As datas foram lidas como dia/mês/ano; se o mês vem primeiro, informe --dates mdy.",
    worksheet_chosen: ({ name, others }) =>
      `Foi lida a planilha "${name}". As outras podem ser lidas com --sheet: ${quoted(others)}.`,
    columns_hidden: ({ columns }) => `Colunas ocultas também foram lidas: ${quoted(columns)}.`,
    rows_hidden: ({ count: rows }) =>
      `${count(rows, "linha oculta também foi lida", "linhas ocultas também foram lidas")}.`,
    clients_known: ({ count: rows, by }) =>
      `${count(rows, `cliente já existe, pelo ${by === "id" ? "id" : "documento"}, e ficou como está`, `clientes já existem, pelo ${by === "id" ? "id" : "documento"}, e ficaram como estão`)}; --update substitui o que a planilha diz.`,
  },
  onScreen: {
    questions: {
      not_text: () => "O arquivo não é uma planilha: salve-a como .xlsx ou CSV.",
      encoding_mixed: ({ line }) =>
        `A linha ${line} tem um caractere que não é UTF-8, e outras linhas são UTF-8. Corrija essa linha no arquivo ou escolha a codificação do arquivo todo.`,
      encoding_unclear: ({ line }) =>
        `A linha ${line} tem um caractere de codificação incerta. Escolha aquela em que os nomes aparecem certos.`,
      encoding_wrong: ({ encoding }) => `O arquivo não é ${encoding}. Escolha outra codificação.`,
      delimiter_unclear: () => "O que separa as colunas não é certo. Escolha.",
      single_column_divided: ({ row }) =>
        `A primeira linha dá nome a uma só coluna, mas a linha ${row} parece dividida em várias. Escolha o que separa as colunas, ou que há uma só.`,
      name_column_missing: () => "Escolha a coluna que tem o nome do cliente.",
      columns_same: ({ first, second }) =>
        `As colunas "${first}" e "${second}" dizem a mesma coisa. Deixe uma delas de fora.`,
      documents_two: ({ first, second }) =>
        `Um cliente tem um só documento, e as colunas "${first}" e "${second}" são dois. Deixe uma delas de fora.`,
      id_column_unclear: ({ column }) =>
        `A coluna "${column}" pode ser um número da sua lista ou um documento. Escolha qual.`,
      ignored_column_unknown: ({ column }) => `Não há a coluna "${column}".`,
      letters_garbled: ({ row, column }) =>
        `A linha ${row} tem em "${column}" letras lidas com outra codificação, como JoÃ£o em vez de João. Escolha o que fazer com essas letras no arquivo inteiro.`,
      state_or_status: ({ row, column }) =>
        `A coluna "${column}"${row === undefined ? "" : ` na linha ${row}`} diz quem está ativo, e em outras linhas pode ser parte do endereço. Escolha o que ela é.`,
      status_empty: ({ row, column }) =>
        `A linha ${row} não tem nada em "${column}", onde outras dizem sim. Escreva sim ou não em todas as linhas do arquivo, ou deixe a coluna de fora.`,
      numbers_short: ({ row, column, digits }) =>
        `A linha ${row} tem em "${column}" um número mais curto que os outros, que têm ${digits} dígitos. Planilhas tiram zeros à esquerda. Escolha o que fazer com esses números.`,
      years_two_digits: ({ row, column }) =>
        `A linha ${row} tem em "${column}" um ano de dois dígitos. Escolha como ler esses anos no arquivo inteiro.`,
      dates_month_first: ({ row, column }) =>
        `A linha ${row} tem em "${column}" uma data cujo mês não existe se o dia vem primeiro. Escolha o que vem primeiro em todas as datas.`,
      organization_missing: () => "A planilha não vai para nenhuma organização.",
      locations_missing: () => "Ainda não há unidade. Crie a primeira e volte.",
      location_column_missing: () =>
        "Há várias unidades, e nenhuma coluna diz qual. Escolha a unidade de todos os clientes desta planilha, ou a coluna que a diz.",
      location_flag_unknown: () => "A unidade escolhida não existe mais. Escolha outra.",
      rows_too_many: ({ max }) =>
        `A planilha tem mais de ${number(max)} linhas. Divida-a, ou peça que a importem pela linha de comando, que aceita qualquer número.`,
    },
    remarks: {
      dates_read_day_first: () => "As datas são lidas como dia/mês/ano.",
      worksheet_chosen: ({ name, others }) => `É lida a planilha "${name}". Há outras: ${quoted(others)}.`,
      clients_known: ({ count: rows, by }) =>
        `${count(rows, "cliente já existe", "clientes já existem")}, pelo ${by === "id" ? "id" : "documento"}, e ${rows === 1 ? "fica como está" : "ficam como estão"}.`,
    },
  },
  refused: (rows) =>
    `${count(rows, "linha tem", "linhas têm")} erros; nada foi importado. --skip-faulty importa as outras.`,
  nothingImported: "Nada foi importado.",
  place: (rows, more, column) => {
    const listed = `${rows.length + more === 1 ? "linha" : "linhas"} ${rows.join(", ")}${more > 0 ? ` e mais ${number(more)}` : ""}`;
    return column === undefined ? listed : `${listed}, coluna "${column}"`;
  },
  knownLocations: (names) => `As unidades são: ${listed(names)}.`,
  done: ({ created, replaced, unchanged, dryRun }) =>
    `${dryRun ? "Simulação, nada foi gravado: " : ""}${count(created, "cliente criado", "clientes criados")}, ${count(replaced, "substituído", "substituídos")}, ${count(unchanged, "sem mudança", "sem mudança")}.`,
  rejected: (rows, path) =>
    `${count(rows, "linha com erro está", "linhas com erro estão")} em ${path}, cada uma com o motivo. Corrija e importe esse arquivo.`,
  rejectedFileExists: (path) =>
    `${path} já existe, com linhas de uma importação anterior: importe esse arquivo, mova-o ou informe outro com --rejected.`,
  wouldReject: (rows) =>
    `${count(rows, "linha com erro seria recusada", "linhas com erro seriam recusadas")}.`,
  reading: "Lendo",
  checking: "Conferindo",
  writing: "Gravando",
  rows: "linhas",
  reasonColumn: "Motivo da recusa",
};
