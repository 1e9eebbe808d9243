import { dictionary } from "../../languages/words.ts";

export const eraseWords = dictionary(
  {
    eraseTitle: "Erase this person",
    eraseFirst: "This cannot be undone.",
    eraseGoes:
      "Name, contact, date of birth, address, document and notes go, and so do the reasons that the staff wrote.",
    eraseStays: "Contracts and visits stay for the books, without a person.",
    basis: "Reason",
    basisHint: "Why: for example “Asked by e-mail on 16 November”. It is kept as evidence.",
    typeName: (name: string) => `Type “${name}” to confirm`,
    nameDiffers: "This is not the name.",
    eraseNow: "Erase for good",
    eraseDone: "The person was erased.",
    cancel: "Cancel",
  },
  {
    eraseTitle: "Apagar os dados desta pessoa",
    eraseFirst: "Isto não pode ser desfeito.",
    eraseGoes:
      "Nome, contato, data de nascimento, endereço, documento e observações são apagados, assim como os motivos escritos pela equipe.",
    eraseStays: "Contratos e visitas ficam para a contabilidade, sem identificar a pessoa.",
    basis: "Motivo",
    basisHint: "Por quê: por exemplo “Pedido por e-mail em 16 de novembro”. Fica guardado como prova.",
    typeName: (name: string) => `Digite “${name}” para confirmar`,
    nameDiffers: "Não é este o nome.",
    eraseNow: "Apagar definitivamente",
    eraseDone: "Os dados da pessoa foram apagados.",
    cancel: "Cancelar",
  },
  {
    eraseTitle: "Borrar los datos de esta persona",
    eraseFirst: "Esto no se puede deshacer.",
    eraseGoes:
      "Se borran nombre, contacto, fecha de nacimiento, dirección, documento y notas, y también los motivos que escribió el equipo.",
    eraseStays: "Contratos y visitas quedan para la contabilidad, sin identificar a la persona.",
    basis: "Motivo",
    basisHint: "Por qué: por ejemplo “Lo pidió por correo el 16 de noviembre”. Se guarda como constancia.",
    typeName: (name: string) => `Escriba “${name}” para confirmar`,
    nameDiffers: "Ese no es el nombre.",
    eraseNow: "Borrar definitivamente",
    eraseDone: "Los datos de la persona se borraron.",
    cancel: "Cancelar",
  },
);
