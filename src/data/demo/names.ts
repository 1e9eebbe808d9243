/** Common first and family names, to be combined by chance; none of the combinations means a real person. */
export const FIRST_NAMES: readonly string[] = (
  "Ana Antônio Aline Álvaro Beatriz Bruno Bianca Caio Camila Carlos Cecília César Clara Cláudia Daniel Débora " +
  "Diego Edson Eduardo Elaine Érica Estêvão Fábio Felipe Fernanda Flávia Francisco Gabriel Giovana Glória Gustavo " +
  "Heitor Helena Henrique Inês Isabela Ítalo Joana João Jorge José Júlia Júlio Karina Lara Larissa Laura Leandro " +
  "Letícia Lívia Luana Lúcia Luís Luíza Manuela Marcelo Márcia Marcos Maria Mariana Marina Mário Mateus Maurício " +
  "Mônica Natália Nathan Nicolas Otávio Patrícia Paulo Pedro Priscila Rafael Raquel Regina Renata Ricardo Rita " +
  "Roberto Rodrigo Rogério Rosângela Samuel Sandra Sérgio Sílvia Simone Sônia Tainá Tânia Tatiana Thaís Tiago " +
  "Tomás Valéria Vanessa Vera Vinícius Vitória Yasmin"
).split(" ");

export const DOUBLE_NAMES: readonly string[] = [
  "Ana Clara",
  "Ana Paula",
  "João Pedro",
  "João Vítor",
  "José Carlos",
  "Luís Felipe",
  "Maria Clara",
  "Maria Eduarda",
  "Maria José",
  "Pedro Henrique",
];

export const FAMILY_NAMES: readonly string[] = [
  ...(
    "Almeida Alves Andrade Araújo Azevedo Barbosa Barros Batista Borges Brandão Caldeira Campos Cardoso Carvalho " +
    "Castro Coelho Correia Costa Cunha Dias Duarte Esteves Farias Fernandes Ferreira Figueiredo Freitas Galvão Garcia " +
    "Gomes Gonçalves Guimarães Leite Lima Lopes Macedo Machado Magalhães Marques Martins Matos Medeiros Melo Mendes " +
    "Miranda Monteiro Moraes Moreira Moura Nogueira Nunes Oliveira Pacheco Peixoto Pereira Pinto Pires Queirós Ramos " +
    "Rezende Ribeiro Rocha Rodrigues Sá Sales Salgado Santana Santos Siqueira Silva Silveira Soares Souza Tavares " +
    "Teixeira Torres Valente Vasconcelos Vaz Viana Vieira Xavier"
  ).split(" "),
  ...["da Silva", "dos Santos", "de Souza", "da Costa", "do Nascimento", "de Araújo", "d'Ávila", "dos Anjos"],
];

/** For the members from abroad, whose names are written in other ways. */
export const FOREIGN_FIRST_NAMES: readonly string[] = (
  "Aïcha Anaïs Björn Çağla Đorđe Eoin François Gösta Hanna İbrahim Jürgen Kåre Léa Łukasz Małgorzata Nuño Øystein " +
  "Renée Siobhán Søren Šárka Thảo Zoë Žofia Ángela"
).split(" ");

export const FOREIGN_FAMILY_NAMES: readonly string[] = (
  "Åkesson Björnsdóttir Černý Dvořák Fernández Gómez-Núñez Grünwald Jørgensen Kowalczyk Lefèvre Müller Nguyễn " +
  "O'Connor Öztürk Pérez Rössler Sjöberg Tanaka Țepeș Wójcik Yıldız Zieliński"
).split(" ");

export interface City {
  readonly name: string;
  readonly state: string;
  readonly postalPrefix: string;
}

/** Where members live, by the zone of their location. */
export const CITIES: Readonly<Record<string, readonly City[]>> = {
  "America/Sao_Paulo": [
    { name: "São Paulo", state: "SP", postalPrefix: "054" },
    { name: "São Paulo", state: "SP", postalPrefix: "040" },
    { name: "São Paulo", state: "SP", postalPrefix: "045" },
    { name: "Osasco", state: "SP", postalPrefix: "060" },
    { name: "Santo André", state: "SP", postalPrefix: "090" },
  ],
  "America/Manaus": [{ name: "Manaus", state: "AM", postalPrefix: "690" }],
};

export const STREETS: readonly string[] = [
  "Rua das Flores",
  "Rua do Sol",
  "Rua São João",
  "Rua da Consolação",
  "Rua XV de Novembro",
  "Avenida das Palmeiras",
  "Avenida Sete de Setembro",
  "Alameda dos Jacarandás",
  "Travessa do Comércio",
  "Praça da Matriz",
  "Rua das Laranjeiras",
  "Rua Boa Vista",
  "Estrada da Ponte",
];

export const NOTES: readonly string[] = [
  "Prefere aulas pela manhã.",
  "Prefere aulas à noite.",
  "Recuperação de lesão no joelho direito; evitar impacto.",
  "Gestante; liberação médica entregue na recepção.",
  "Veio por indicação de uma amiga.",
  "Avisar por telefone quando houver vaga no sábado.",
  "Pratica há mais de cinco anos.",
  "Hipertensão controlada.",
  "Só fala inglês.\nAtendimento com a coordenação.",
  "Paga com nota fiscal em nome da empresa.",
];
